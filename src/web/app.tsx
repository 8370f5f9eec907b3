import { QueryClientProvider } from '@tanstack/react-query';
import { BrowserRouter } from 'react-router';
import { queryClient } from './lib/query-client.ts';
import { AppRoutes } from './routes.tsx';
import { CartProvider } from './state/cart.tsx';
import { SessionProvider } from './state/session.tsx';
import { ToastProvider } from './state/toasts.tsx';

export function App() {
  return (
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
  );
}
