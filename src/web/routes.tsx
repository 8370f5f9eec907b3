import { type ComponentType, lazy, Suspense, useEffect } from 'react';
import { Navigate, Route, Routes, useLocation } from 'react-router';
import { type PagePath, pagePaths } from '../shared/pages.ts';
import { Reauthentication } from './features/accounts/reauthentication.tsx';
import { CartDrawer } from './features/cart/cart-drawer.tsx';
import { HomeScreen } from './features/catalog/home-screen.tsx';
import { FloatingCart, ScreenFailed, Shell } from './features/shell/shell.tsx';
import { trackedPayment } from './lib/cart-storage.ts';
import { CONTACT_DRAFT, clearStored, useStored } from './lib/storage.ts';
import { useCart } from './state/cart.tsx';
import { RequireSession } from './state/session.tsx';
import { watchLoad } from './ui/loading.tsx';

/** A component with its own chunk of code; `Failed` replaces the component when the chunk does not load. */
const screen = <Name extends string>(
  name: Name,
  load: () => Promise<Record<Name, ComponentType>>,
  Failed: ComponentType = ScreenFailed,
) =>
  lazy(() =>
    watchLoad(load()).then(
      (loaded) => ({ default: loaded[name] }),
      () => ({ default: Failed }),
    ),
  );

const forSignedIn = <Name extends string>(name: Name, load: () => Promise<Record<Name, ComponentType>>) => {
  const Screen = screen(name, load);
  return () => (
    <RequireSession>
      <Screen />
    </RequireSession>
  );
};

const loadPhysicalProducts = () => import('./features/admin/products/physical-products-tab.tsx');
const loadProduct = () => import('./features/catalog/product-screen.tsx');
const ProductScreen = screen('ProductScreen', loadProduct);
const loadOrderPages = () => import('./features/orders/order-page-screens.tsx');
const loadCheckout = () => import('./features/checkout/checkout-screen.tsx');

const screens: Record<PagePath, ComponentType> = {
  // In the first bundle, as most visits start here.
  '/': HomeScreen,
  '/digital-product/:id': ProductScreen,
  '/product/:id': ProductScreen,
  '/checkout': screen('CheckoutScreen', loadCheckout),
  '/orders': forSignedIn('OrdersScreen', () => import('./features/orders/orders-screen.tsx')),
  '/orders/:orderId': forSignedIn('OrderPageScreen', loadOrderPages),
  '/orders/:orderId/receipt': forSignedIn('ReceiptScreen', () => import('./features/orders/receipt-screen.tsx')),
  '/order-items/:orderId': forSignedIn('OrderItemsScreen', loadOrderPages),
  '/review/:productId': forSignedIn('ReviewScreen', () => import('./features/reviews/review-screen.tsx')),
  '/profile': forSignedIn('ProfileScreen', () => import('./features/accounts/profile/profile-screen.tsx')),
  '/2fa-setup': forSignedIn('TwoFactorSetupScreen', () => import('./features/two-factor/two-factor-setup-screen.tsx')),
  '/admin': screen('AdminScreen', () => import('./features/admin/admin-screen.tsx')),
  '/admin/products/new': screen('AddProductScreen', loadPhysicalProducts),
  '/admin/products/:id': screen('EditProductScreen', loadPhysicalProducts),
  '/admin/audit-log': screen('AuditLogScreen', () => import('./features/admin/audit-log/audit-log-screen.tsx')),
  '/admin/orders/:id': screen('AdminOrderScreen', () => import('./features/admin/orders/admin-order-screen.tsx')),
  '/admin/problem-reports/:id': screen(
    'ProblemReportScreen',
    () => import('./features/admin/problem-reports/problem-report-screen.tsx'),
  ),
  '/admin/users/:id': screen('AdminUserScreen', () => import('./features/admin/users/admin-user-screen.tsx')),
  '/login': screen('LoginScreen', () => import('./features/accounts/login-screens.tsx')),
  '/register': screen('RegisterScreen', () => import('./features/accounts/login-screens.tsx')),
  '/forgot-password': screen('ForgotPasswordScreen', () => import('./features/accounts/password-screens.tsx')),
  '/reset-password': screen('ResetPasswordScreen', () => import('./features/accounts/password-screens.tsx')),
  '/confirm-email': screen('ConfirmEmailScreen', () => import('./features/accounts/email-screens.tsx')),
  '/undo-email': screen('UndoEmailScreen', () => import('./features/accounts/email-screens.tsx')),
  '/find-order': screen('FindOrderScreen', () => import('./features/orders/find-order-screen.tsx')),
  '/claim': screen('ClaimScreen', () => import('./features/accounts/password-screens.tsx')),
  '/info/:slug': screen('InfoScreen', () => import('./features/info/info-screen.tsx')),
};

const NoNotice = () => null;
const PaymentNotice = screen('PaymentNotice', () => import('./features/checkout/payment-notice.tsx'), NoNotice);

export function AppRoutes() {
  return (
    <Routes>
      <Route element={<Shell notice={<UnseenPayment />} overlays={<Overlays />} />}>
        {pagePaths.map((path) => {
          const Screen = screens[path];
          return <Route key={path} path={path} caseSensitive element={<Screen />} />;
        })}
        <Route path="*" element={<Navigate to="/" replace />} />
      </Route>
    </Routes>
  );
}

function UnseenPayment() {
  const payment = useStored(trackedPayment);
  if (payment === null || payment.phase === 'seen') return null;
  return (
    <Suspense fallback={null}>
      <PaymentNotice />
    </Suspense>
  );
}

function Overlays() {
  useForgetContactDraft();
  usePreloadedCheckout();
  usePreloadedProduct();
  return (
    <>
      <FloatingCart />
      <CartDrawer />
      <Reauthentication />
    </>
  );
}

/** Loads the code of the checkout while the shopper looks at the cart, so that the next press shows it at once. */
function usePreloadedCheckout(): void {
  const { isOpen } = useCart();
  useEffect(() => {
    // The checkout shows a failure.
    if (isOpen) void Promise.allSettled([loadCheckout()]);
  }, [isOpen]);
}

/** Loads the code of the product page once a pointer, a finger or the focus is on a link to a product. */
function usePreloadedProduct(): void {
  useEffect(() => {
    const preload = ({ target }: Event) => {
      const isProduct = target instanceof Element && target.closest('a[href*="product/"]') !== null;
      // The product page shows a failure.
      if (isProduct) void Promise.allSettled([loadProduct()]);
    };
    const events = ['pointerover', 'focusin'];
    for (const event of events) document.addEventListener(event, preload);
    return () => {
      for (const event of events) document.removeEventListener(event, preload);
    };
  }, []);
}

/** Deletes the draft once the shopper opens another screen than the checkout, or the login on the way back to it. */
function useForgetContactDraft(): void {
  const { pathname } = useLocation();
  useEffect(() => {
    if (pathname !== '/checkout' && pathname !== '/login') clearStored(CONTACT_DRAFT);
  }, [pathname]);
}
