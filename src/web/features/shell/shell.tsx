import { Mail, MapPin, Phone, ShieldCheck, ShoppingCart, TriangleAlert, Zap } from 'lucide-react';
import { type ReactNode, Suspense, useEffect } from 'react';
import { Link, Outlet, useLocation } from 'react-router';
import type { Shop } from '../../../shared/content.ts';
import { infoLinks } from '../../../shared/pages.ts';
import { toTop, useScreenChange } from '../../lib/page.ts';
import { itemsInCart, useCart } from '../../state/cart.tsx';
import { useShop } from '../../state/shop.ts';
import { Button, Spinner } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/display.tsx';
import { useIsLoadSlow } from '../../ui/loading.tsx';
import { Header, Mark } from './header.tsx';
import { ToastRegion } from './toast-region.tsx';

/** The frame of every screen. `notice` is shown below the header, `overlays` above everything. */
export function Shell({ notice, overlays }: { notice: ReactNode; overlays: ReactNode }) {
  const main = useScreenChange();
  const shop = useShop();
  const storeName = shop?.storeName ?? 'Kedai';
  return (
    <div className="flex min-h-svh flex-col">
      <a
        href="#content"
        className="fixed top-2 left-2 z-50 -translate-y-20 rounded-md bg-accent px-4 py-2 font-semibold text-on-accent focus:translate-y-0">
        Skip to content
      </a>
      {shop?.publicDemo && (
        <aside
          aria-label="Public demo"
          className="bg-warning-soft px-4 py-2 text-center text-sm text-balance text-warning">
          This is a public demo: pay with test cards only, and enter no personal data. Its accounts are shared.
        </aside>
      )}
      <Header storeName={storeName} />
      {notice}
      <NextScreenLoading />
      {/* At least as high as the window, so that the footer stays out of sight while a screen loads. */}
      <main id="content" ref={main} tabIndex={-1} className="min-h-svh flex-1 scroll-mt-24">
        <Suspense fallback={<ScreenLoading />}>
          <Outlet />
        </Suspense>
      </main>
      <Footer storeName={storeName} />
      {overlays}
      <ToastRegion />
    </div>
  );
}

function ScreenLoading() {
  return (
    <div data-loading className="grid min-h-svh place-items-center text-accent">
      <Spinner label="Loading" className="size-8" />
    </div>
  );
}

/** The open screen stays until the code of the next one has loaded: meanwhile a bar below the header grows. */
function NextScreenLoading() {
  const isSlow = useIsLoadSlow();
  return (
    // Before the first screen, ScreenLoading is shown and announced instead.
    <div role="status" className="sticky top-(--below-header) z-40 h-0 in-[:has(>main>[data-loading])]:hidden">
      {isSlow && (
        <>
          <div className="origin-left scale-x-95 border-t-4 border-accent transition-[scale] duration-[8s] ease-out motion-reduce:transition-none starting:scale-x-10" />
          <span className="sr-only">Loading</span>
        </>
      )}
    </div>
  );
}

const reload = () => window.location.reload();

/** Replaces a screen whose code could not be loaded, e.g. without a connection or after a new version was deployed. */
export function ScreenFailed() {
  // The notice of a lost connection promises that loading continues by itself.
  useEffect(() => {
    window.addEventListener('online', reload);
    return () => window.removeEventListener('online', reload);
  }, []);
  return (
    <EmptyState
      icon={TriangleAlert}
      title="This page could not be loaded"
      heading="h1"
      action={<Button onClick={reload}>Load the page again</Button>}>
      Your cart is safe. Loading the page again usually helps.
    </EmptyState>
  );
}

const promises = [
  [Zap, 'Instant delivery'],
  [ShieldCheck, 'Secure payments'],
] as const;

const shopLinks = [
  ['/', 'All products'],
  ['/orders', 'My Orders'],
  ['/find-order', 'Find my order'],
  ['/register', 'How to get an account'],
] as const;

const linkClass =
  'inline-flex min-h-9 items-center rounded-sm pointer-coarse:min-h-11 hover:text-accent-ink hover:underline';

function Footer({ storeName }: { storeName: string }) {
  const contact = useShop()?.contact;
  return (
    <footer className="mt-16 border-t border-line bg-sunken pb-24 md:pb-8 text-sm text-muted">
      <div className="mx-auto grid max-w-page gap-10 px-4 py-12 sm:px-6 sm:grid-cols-2 lg:grid-cols-[2fr_1fr_1.4fr_1.4fr]">
        <div className="grid content-start gap-4">
          <p className="flex items-center gap-2.5 text-xl font-bold tracking-tight wrap-anywhere text-ink">
            <Mark className="size-8 shrink-0" />
            {storeName}
          </p>
          <p className="max-w-md">
            Your secure digital marketplace, with instant delivery and secure payments. What you buy is yours the moment
            it is paid.
          </p>
          <ul className="flex flex-wrap gap-x-5 gap-y-2 font-medium text-ink">
            {promises.map(([Icon, promise]) => (
              <li key={promise} className="flex items-center gap-2">
                <Icon aria-hidden className="size-4 text-accent" />
                {promise}
              </li>
            ))}
          </ul>
        </div>
        <nav aria-label="Footer" className="contents">
          <FooterPart title="Shop">
            {shopLinks.map(([to, label]) => (
              <Link key={to} to={to} state={toTop} className={linkClass}>
                {label}
              </Link>
            ))}
          </FooterPart>
          <FooterPart title="Information">
            <ul className="grid grid-cols-2 gap-x-6 gap-y-1">
              {infoLinks.map(({ slug, label }) => (
                <li key={slug}>
                  <Link to={`/info/${slug}`} state={toTop} className={linkClass}>
                    {label}
                  </Link>
                </li>
              ))}
            </ul>
          </FooterPart>
        </nav>
        {contact && <Contact {...contact} />}
      </div>
      <p className="mx-auto max-w-page px-4 wrap-anywhere sm:px-6">
        © {new Date().getFullYear()} {storeName}. All payments are in US dollars.
      </p>
    </footer>
  );
}

function FooterPart({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div className="grid content-start gap-1">
      <h2 className="mb-2 text-sm tracking-normal text-ink">{title}</h2>
      {children}
    </div>
  );
}

function Contact({ address, phone, email }: Shop['contact']) {
  const links = [
    [Phone, phone, `tel:${phone.replace(/[^+\d]/g, '')}`],
    [Mail, email, `mailto:${email}`],
  ] as const;
  return (
    <address className="not-italic">
      <FooterPart title="Contact">
        <p className="flex min-h-9 items-center gap-2 pointer-coarse:min-h-11">
          <MapPin aria-hidden className="size-4 shrink-0 text-accent" />
          {address}
        </p>
        {links.map(([Icon, text, url]) => (
          <a key={url} href={url} className={`${linkClass} gap-2`}>
            <Icon aria-hidden className="size-4 shrink-0 text-accent" />
            {text}
          </a>
        ))}
      </FooterPart>
    </address>
  );
}

export function FloatingCart() {
  const { count, open } = useCart();
  const { pathname } = useLocation();
  if (count === 0 || pathname === '/checkout') return null;
  return (
    <button
      type="button"
      aria-label={`Open cart, ${itemsInCart(count)}`}
      onClick={open}
      className="fixed right-4 bottom-4 z-30 grid size-14 place-items-center rounded-full bg-accent text-on-accent forced-colors:border shadow-float transition-colors hover:bg-accent-strong md:hidden">
      <ShoppingCart aria-hidden className="size-6" />
      <span
        key={count}
        className="pop tabular absolute -top-1 -right-1 grid min-h-6 min-w-6 place-items-center rounded-full border-2 border-ground bg-sale px-1 text-xs font-bold text-on-sale">
        {count}
      </span>
    </button>
  );
}
