import { type ComponentType, lazy, Suspense } from 'react';
import { Navigate, Route, Routes } from 'react-router';
import { type PagePath, pagePaths } from '../shared/pages.ts';
import { Reauthentication } from './features/accounts/reauthentication.tsx';
import { CartDrawer, FloatingCart } from './features/cart/cart-drawer.tsx';
import { HomeScreen } from './features/catalog/home-screen.tsx';
import { useForgetContactDraft } from './features/checkout/contact-draft.ts';
import { ScreenFailed, Shell } from './features/shell/shell.tsx';
import { storage } from './lib/storage.ts';
import { useStored } from './lib/stored-value.ts';

// Home is in the first bundle, as most visits start there; every other screen is loaded when it is gone to.
const screen = <Name extends string>(name: Name, load: () => Promise<Record<Name, ComponentType>>) =>
  lazy(() =>
    load().then(
      (loaded) => ({ default: loaded[name] }),
      () => ({ default: ScreenFailed }),
    ),
  );

const ProductScreen = screen('ProductScreen', () => import('./features/catalog/product-screen.tsx'));
const CheckoutScreen = screen('CheckoutScreen', () => import('./features/checkout/checkout-screen.tsx'));
const OrdersScreen = screen('OrdersScreen', () => import('./features/orders/orders-screen.tsx'));
const OrderItemsScreen = screen('OrderItemsScreen', () => import('./features/orders/order-items-screen.tsx'));
const LoginScreen = screen('LoginScreen', () => import('./features/accounts/login-screen.tsx'));
const RegisterScreen = screen('RegisterScreen', () => import('./features/accounts/register-screen.tsx'));
const InfoScreen = screen('InfoScreen', () => import('./features/info/info-screen.tsx'));
const ProfileScreen = screen('ProfileScreen', () => import('./features/accounts/profile/profile-screen.tsx'));
const ForgotPasswordScreen = screen('ForgotPasswordScreen', () => import('./features/accounts/password-screens.tsx'));
const ResetPasswordScreen = screen('ResetPasswordScreen', () => import('./features/accounts/password-screens.tsx'));
const ConfirmEmailScreen = screen('ConfirmEmailScreen', () => import('./features/accounts/email-screens.tsx'));
const UndoEmailScreen = screen('UndoEmailScreen', () => import('./features/accounts/email-screens.tsx'));
const FindOrderScreen = screen('FindOrderScreen', () => import('./features/orders/find-order-screen.tsx'));
const ClaimScreen = screen('ClaimScreen', () => import('./features/accounts/claim-screen.tsx'));
const TwoFactorSetupScreen = screen(
  'TwoFactorSetupScreen',
  () => import('./features/two-factor/two-factor-setup-screen.tsx'),
);
const PaymentNotice = lazy(() =>
  import('./features/checkout/payment-notice.tsx').then(
    ({ PaymentNotice: notice }) => ({ default: notice }),
    () => ({ default: () => null }),
  ),
);
const AdminScreen = screen('AdminScreen', () => import('./features/admin/admin-screen.tsx'));
const AdminOrderScreen = screen('AdminOrderScreen', () => import('./features/admin/orders/admin-order-screen.tsx'));
const PhysicalProductScreen = screen(
  'PhysicalProductScreen',
  () => import('./features/admin/products/physical-product-screen.tsx'),
);
const AdminUserScreen = screen('AdminUserScreen', () => import('./features/admin/users/admin-user-screen.tsx'));
const AuditLogScreen = screen('AuditLogScreen', () => import('./features/admin/audit-log/audit-log-screen.tsx'));

const screens: Record<PagePath, ComponentType> = {
  '/': HomeScreen,
  '/digital-product/:id': ProductScreen,
  '/checkout': CheckoutScreen,
  '/orders': OrdersScreen,
  '/order-items/:orderId': OrderItemsScreen,
  '/profile': ProfileScreen,
  '/2fa-setup': TwoFactorSetupScreen,
  '/admin': AdminScreen,
  '/admin/products/new': PhysicalProductScreen,
  '/admin/products/:id': PhysicalProductScreen,
  '/admin/audit-log': AuditLogScreen,
  '/admin/orders/:id': AdminOrderScreen,
  '/admin/users/:id': AdminUserScreen,
  '/login': LoginScreen,
  '/register': RegisterScreen,
  '/forgot-password': ForgotPasswordScreen,
  '/reset-password': ResetPasswordScreen,
  '/confirm-email': ConfirmEmailScreen,
  '/undo-email': UndoEmailScreen,
  '/find-order': FindOrderScreen,
  '/claim': ClaimScreen,
  '/info/:slug': InfoScreen,
};

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

/** Nothing, and nothing loaded, for those who have not paid. */
function UnseenPayment() {
  const payment = useStored(storage.payment);
  if (payment === null || payment.phase === 'seen') return null;
  return (
    <Suspense fallback={null}>
      <PaymentNotice />
    </Suspense>
  );
}

function Overlays() {
  useForgetContactDraft();
  return (
    <>
      <FloatingCart />
      <CartDrawer />
      <Reauthentication />
    </>
  );
}
