import { QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { BrowserRouter } from 'react-router';
import { queryClient } from './query-client.ts';
import { AppRoutes } from './routes.tsx';
import { CartProvider } from './state/cart.tsx';
import { SessionProvider } from './state/session.tsx';
import { ToastProvider } from './state/toasts.tsx';

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
