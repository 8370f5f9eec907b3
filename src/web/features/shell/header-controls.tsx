import {
  LayoutDashboard,
  LogOut,
  type LucideIcon,
  Moon,
  ReceiptText,
  ShoppingCart,
  Sun,
  UserRound,
} from 'lucide-react';
import { Link } from 'react-router';
import { useCart } from '../../state/cart.tsx';
import { useSession } from '../../state/session.tsx';
import { useTheme } from '../../state/theme.tsx';
import { buttonClass } from '../../ui/button.tsx';
import { classNames } from '../../ui/class-names.ts';
import { IconButton, iconButtonClass } from '../../ui/icon-button.tsx';
import { toTop } from './use-screen-change.ts';

export function ThemeButton({ className }: { className?: string }) {
  const { theme, toggle } = useTheme();
  const Icon = theme === 'dark' ? Sun : Moon;
  return (
    <IconButton
      label={theme === 'dark' ? 'Switch to light theme' : 'Switch to dark theme'}
      onClick={toggle}
      className={className}
    >
      <Icon aria-hidden className="size-5.5" />
    </IconButton>
  );
}

export const countedItems = (count: number) => `${count} ${count === 1 ? 'item' : 'items'}`;

export function CartButton() {
  const { count, open } = useCart();
  return (
    <IconButton label={`Shopping cart, ${countedItems(count)}`} onClick={open}>
      <ShoppingCart aria-hidden className="size-5.5" />
      {count > 0 && (
        <span
          key={count}
          className="pop tabular absolute top-0.5 right-0 grid h-5 min-w-5 place-items-center rounded-full bg-accent px-1 text-xs font-bold text-on-accent"
        >
          {count}
        </span>
      )}
    </IconButton>
  );
}

export function SessionLinks({ className }: { className?: string }) {
  const { status, user, signOut } = useSession();
  if (status === 'signed-out') {
    return (
      <Link to="/login" state={toTop} className={buttonClass('primary', 'md', classNames('ml-1', className))}>
        Sign In
      </Link>
    );
  }
  return (
    <nav aria-label="Your account" className={classNames('flex items-center gap-1', className)}>
      {user?.role === 'admin' && <AccountLink to="/admin" label="Dashboard" icon={LayoutDashboard} />}
      <AccountLink to="/orders" label="My Orders" icon={ReceiptText} />
      <AccountLink to="/profile" label="My Profile" icon={UserRound} />
      <button type="button" onClick={() => void signOut()} className={buttonClass('quiet', 'md')}>
        <LogOut aria-hidden className="size-5" />
        Logout
      </button>
    </nav>
  );
}

function AccountLink({ to, label, icon: Icon }: { to: string; label: string; icon: LucideIcon }) {
  return (
    <Link to={to} state={toTop} title={label} aria-label={label} className={iconButtonClass()}>
      <Icon aria-hidden className="size-5.5" />
    </Link>
  );
}
