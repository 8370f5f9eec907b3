import { notifyManager, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { flushSync } from 'react-dom';
import { createRoot } from 'react-dom/client';
import { BrowserRouter } from 'react-router';
import { isTransient } from './lib/api-client.ts';
import { pageData } from './lib/page.ts';
import { AppRoutes } from './routes.tsx';
import { CartProvider } from './state/cart.tsx';
import { SessionProvider } from './state/session.tsx';
import { categoriesQuery, infoPageQuery, productQuery, productsQuery, reviewsQuery, shopQuery } from './state/shop.ts';
import { ToastProvider } from './state/toasts.tsx';

const MAX_RETRIES = 2;

// By default, components update in the next task. The second click of a double click could come before that, while the
// button is not busy yet.
notifyManager.setScheduler(queueMicrotask);

const queryClient = new QueryClient({
  defaultOptions: {
    queries: { staleTime: 30_000, retry: (failures, failure) => failures < MAX_RETRIES && isTransient(failure) },
    // Without a connection, a mutation fails with a message instead of being sent later.
    mutations: { networkMode: 'always' },
  },
});

// The first screen paints from the data in the page, without a second request.
if (pageData !== undefined) {
  const { shop, categories, lists = [], product, reviews, infoPage } = pageData;
  queryClient.setQueryData(shopQuery.queryKey, shop);
  for (const kind of ['digital', 'physical'] as const) {
    if (categories) queryClient.setQueryData(categoriesQuery(kind).queryKey, categories[kind]);
  }
  for (const { filters, page } of lists) {
    queryClient.setQueryData(productsQuery(filters).queryKey, { pages: [page], pageParams: [null] });
  }
  if (product) queryClient.setQueryData(productQuery(product.kind, product._id).queryKey, product);
  if (product && reviews) {
    queryClient.setQueryData(reviewsQuery(product._id).queryKey, { pages: [reviews], pageParams: [null] });
  }
  if (infoPage) queryClient.setQueryData(infoPageQuery(infoPage.slug).queryKey, infoPage);
}

// A held Enter would press a button, or send a form, again and again.
document.addEventListener('keydown', (event) => {
  const isHeld = event.key === 'Enter' && event.repeat;
  if (isHeld && !(event.target instanceof HTMLTextAreaElement)) event.preventDefault();
});

// The second press of a double click must not hit what the first has moved below the pointer, e.g. the next entry of a list
// or the backdrop of a dialog.
let pressed: Element | null = null;
document.addEventListener(
  'click',
  (event) => {
    const target = event.target instanceof Element ? event.target.closest('button, a') : null;
    if (event.detail < 2) pressed = target;
    else if (target !== pressed) {
      event.preventDefault();
      event.stopPropagation();
    }
  },
  { capture: true },
);

const SPLASH_MS = 1000;
const SPLASH_FADE_MS = 180;

function elementOf(id: string): HTMLElement {
  const element = document.getElementById(id);
  if (element === null) throw new Error(`index.html has no #${id}`);
  return element;
}

/** Shows the failure message after a screen threw: by then React has emptied the root. */
function showFailure(failure: unknown) {
  reportError(failure);
  elementOf('failure').hidden = false;
}

// After a reload, the browser restores the scroll position by the load event at the latest, which would come before
// the first render if that were scheduled.
flushSync(() =>
  createRoot(elementOf('root'), { onUncaughtError: showFailure }).render(
    <StrictMode>
      <QueryClientProvider client={queryClient}>
        <BrowserRouter>
          <ToastProvider>
            <SessionProvider>
              <CartProvider>
                <AppRoutes />
              </CartProvider>
            </SessionProvider>
          </ToastProvider>
        </BrowserRouter>
      </QueryClientProvider>
    </StrictMode>,
  ),
);

// The page loads and paints below the splash; performance.now() counts from the start of the visit.
setTimeout(
  () => {
    const splash = elementOf('splash');
    splash.classList.add('pointer-events-none', 'opacity-0');
    setTimeout(() => splash.remove(), SPLASH_FADE_MS);
  },
  Math.max(0, SPLASH_MS - performance.now()),
);
