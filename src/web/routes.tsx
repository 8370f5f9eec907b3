import { type ComponentType, lazy } from 'react';
import { Navigate, Route, Routes } from 'react-router';
import { CartDrawer } from './features/cart/cart-drawer.tsx';
import { FloatingCart } from './features/cart/floating-cart.tsx';
import { HomeScreen } from './features/catalog/home-screen.tsx';
import { ScreenFailed } from './features/shell/screen-failed.tsx';
import { Shell } from './features/shell/shell.tsx';

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
const ForgotPasswordScreen = screen(
  'ForgotPasswordScreen',
  () => import('./features/accounts/forgot-password-screen.tsx'),
);
const ResetPasswordScreen = screen(
  'ResetPasswordScreen',
  () => import('./features/accounts/reset-password-screen.tsx'),
);
const ConfirmEmailScreen = screen(
  'ConfirmEmailScreen',
  () => import('./features/accounts/confirm-email-screen.tsx'),
);
const FindOrderScreen = screen('FindOrderScreen', () => import('./features/orders/find-order-screen.tsx'));
const ClaimScreen = screen('ClaimScreen', () => import('./features/accounts/claim-screen.tsx'));
const TwoFactorSetupScreen = screen(
  'TwoFactorSetupScreen',
  () => import('./features/two-factor/two-factor-setup-screen.tsx'),
);
const AdminScreen = screen('AdminScreen', () => import('./features/admin/admin-screen.tsx'));
const AdminOrderScreen = screen(
  'AdminOrderScreen',
  () => import('./features/admin/orders/admin-order-screen.tsx'),
);
const PhysicalProductScreen = screen(
  'PhysicalProductScreen',
  () => import('./features/admin/physical-products/physical-product-screen.tsx'),
);
const AdminUserScreen = screen(
  'AdminUserScreen',
  () => import('./features/admin/users/admin-user-screen.tsx'),
);
const AuditLogScreen = screen(
  'AuditLogScreen',
  () => import('./features/admin/audit-log/audit-log-screen.tsx'),
);
// A build has neither this route nor its code.
const KitScreen = import.meta.env.DEV && screen('KitScreen', () => import('./features/kit/kit-screen.tsx'));

export function AppRoutes() {
  return (
    <Routes>
      <Route element={<Shell overlays={<Overlays />} />}>
        <Route path="/" element={<HomeScreen />} />
        <Route path="/digital-product/:id" element={<ProductScreen />} />
        <Route path="/checkout" element={<CheckoutScreen />} />
        <Route path="/orders" element={<OrdersScreen />} />
        <Route path="/order-items/:orderId" element={<OrderItemsScreen />} />
        <Route path="/profile" element={<ProfileScreen />} />
        <Route path="/2fa-setup" element={<TwoFactorSetupScreen />} />
        <Route path="/admin" element={<AdminScreen />} />
        <Route path="/admin/products/new" element={<PhysicalProductScreen />} />
        <Route path="/admin/products/:id" element={<PhysicalProductScreen />} />
        <Route path="/admin/audit-log" element={<AuditLogScreen />} />
        <Route path="/admin/orders/:id" element={<AdminOrderScreen />} />
        <Route path="/admin/users/:id" element={<AdminUserScreen />} />
        <Route path="/login" element={<LoginScreen />} />
        <Route path="/register" element={<RegisterScreen />} />
        <Route path="/forgot-password" element={<ForgotPasswordScreen />} />
        <Route path="/reset-password" element={<ResetPasswordScreen />} />
        <Route path="/confirm-email" element={<ConfirmEmailScreen />} />
        <Route path="/find-order" element={<FindOrderScreen />} />
        <Route path="/claim" element={<ClaimScreen />} />
        <Route path="/info/:slug" element={<InfoScreen />} />
        {KitScreen && <Route path="/kit" element={<KitScreen />} />}
        <Route path="*" element={<Navigate to="/" replace />} />
      </Route>
    </Routes>
  );
}

function Overlays() {
  return (
    <>
      <FloatingCart />
      <CartDrawer />
    </>
  );
}
