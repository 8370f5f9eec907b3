import {
  LayoutDashboard,
  LogIn,
  LogOut,
  type LucideIcon,
  Moon,
  ReceiptText,
  ShoppingCart,
  Store,
  Sun,
  UserRound,
} from 'lucide-react';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { useCart } from '../../state/cart.tsx';
import { useSession } from '../../state/session.tsx';
import { useTheme } from '../../state/theme.tsx';
import { countedItems } from './header-controls.tsx';
import { toTop } from './use-screen-change.ts';

const rowClass =
  'flex min-h-12 w-full items-center gap-3 rounded-md px-3 text-left font-semibold transition-colors hover:bg-accent-soft hover:text-accent-ink';

const row = (Icon: LucideIcon, text: ReactNode) => (
  <>
    <Icon aria-hidden className="size-5 text-accent" />
    {text}
  </>
);

export function MobileMenu({ isOpen, onClose }: { isOpen: boolean; onClose(): void }) {
  const cart = useCart();
  const { theme, toggle } = useTheme();
  const { status, user, signOut } = useSession();

  function openCart() {
    onClose();
    cart.open();
  }

  return (
    <nav id="mobile-menu" aria-label="Menu" hidden={!isOpen} className="border-t border-line p-2 md:hidden">
      <Link to="/" state={toTop} onClick={onClose} className={rowClass}>
        {row(Store, 'Shop')}
      </Link>
      <button type="button" onClick={openCart} className={rowClass}>
        {row(ShoppingCart, `Cart (${countedItems(cart.count)})`)}
      </button>
      <button type="button" onClick={toggle} className={rowClass}>
        {theme === 'dark' ? row(Sun, 'Light theme') : row(Moon, 'Dark theme')}
      </button>
      {status === 'signed-out' ? (
        <Link to="/login" state={toTop} onClick={onClose} className={rowClass}>
          {row(LogIn, 'Sign In')}
        </Link>
      ) : (
        <>
          {user?.role === 'admin' && (
            <Link to="/admin" state={toTop} onClick={onClose} className={rowClass}>
              {row(LayoutDashboard, 'Dashboard')}
            </Link>
          )}
          <Link to="/orders" state={toTop} onClick={onClose} className={rowClass}>
            {row(ReceiptText, 'My Orders')}
          </Link>
          <Link to="/profile" state={toTop} onClick={onClose} className={rowClass}>
            {row(UserRound, 'My Profile')}
          </Link>
          <button type="button" onClick={() => void signOut()} className={rowClass}>
            {row(LogOut, 'Logout')}
          </button>
        </>
      )}
    </nav>
  );
}
