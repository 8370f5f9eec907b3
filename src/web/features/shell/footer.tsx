import { Mail, MapPin, Phone, ShieldCheck, Zap } from 'lucide-react';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import type { Shop } from '../../../shared/content.ts';
import { infoLinks } from '../../../shared/pages.ts';
import { toTop } from '../../lib/page.ts';
import { useShop } from '../../state/shop.ts';
import { Mark } from './header.tsx';

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

export function Footer({ storeName }: { storeName: string }) {
  const contact = useShop()?.contact;
  return (
    <footer className="mt-16 border-t border-line bg-sunken pb-24 md:pb-8 text-sm text-muted">
      <div className="mx-auto grid max-w-page gap-10 px-4 py-12 sm:px-6 sm:grid-cols-2 lg:grid-cols-[2fr_1fr_1.4fr_1.4fr]">
        <div className="grid content-start gap-4">
          <p className="flex items-center gap-2.5 font-display text-xl font-bold tracking-tight wrap-anywhere text-ink">
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
