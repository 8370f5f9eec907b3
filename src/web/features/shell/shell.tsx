import { TriangleAlert } from 'lucide-react';
import { type ReactNode, Suspense } from 'react';
import { Outlet } from 'react-router';
import { useScreenChange } from '../../lib/page.ts';
import { useShop } from '../../state/shop.ts';
import { Button, Spinner } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/card.tsx';
import { Footer } from './footer.tsx';
import { Header } from './header.tsx';
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
    <div className="grid min-h-svh place-items-center text-accent">
      <Spinner label="Loading" className="size-8" />
    </div>
  );
}

/** Replaces a screen whose code could not be loaded, e.g. without a connection or after a new version was deployed. */
export function ScreenFailed() {
  return (
    <EmptyState
      icon={TriangleAlert}
      title="This page could not be loaded"
      heading="h1"
      action={<Button onClick={() => window.location.reload()}>Load the page again</Button>}>
      Your cart is safe. Loading the page again usually helps.
    </EmptyState>
  );
}
