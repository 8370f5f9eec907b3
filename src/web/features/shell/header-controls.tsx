import {
  Check,
  ChevronDown,
  LayoutDashboard,
  LogIn,
  LogOut,
  type LucideIcon,
  MapPin,
  Moon,
  ReceiptText,
  ShoppingCart,
  Store,
  Sun,
  UserRound,
} from 'lucide-react';
import type { ReactNode } from 'react';
import { Link, useLocation } from 'react-router';
import type { User } from '../../../shared/accounts.ts';
import { currencies, currencyCodes } from '../../../shared/currency.ts';
import { plural } from '../../../shared/format.ts';
import { toTop } from '../../lib/page.ts';
import { useCart } from '../../state/cart.tsx';
import { useSession } from '../../state/session.tsx';
import { useCountry, useCurrency, useTheme } from '../../state/shop.ts';
import { Button, ButtonLink, IconButton, IconLink } from '../../ui/button.tsx';
import { classNames } from '../../ui/class-names.ts';
import { Popover } from '../../ui/popover.tsx';

export function ThemeButton({ className }: { className?: string }) {
  const { theme, toggle } = useTheme();
  return (
    <IconButton
      icon={theme === 'dark' ? Sun : Moon}
      iconClass="size-5.5"
      label={theme === 'dark' ? 'Switch to light theme' : 'Switch to dark theme'}
      onClick={toggle}
      className={className}
    />
  );
}

export function CurrencyMenu() {
  const { code, choose } = useCurrency();
  const country = useCountry();
  return (
    <Popover
      className="w-72 p-2"
      trigger={
        <>
          {code}
          <ChevronDown aria-hidden className="size-4 text-muted" />
        </>
      }
      triggerProps={{
        'aria-label': `Currency: ${code}`,
        className:
          'inline-flex min-h-11 items-center gap-1 rounded-md px-2.5 text-sm font-semibold transition-colors hover:bg-accent-soft hover:text-accent-ink',
      }}>
      {(close) => (
        <>
          <div className="px-3 pt-2 pb-3">
            <h2 className="text-base">Select Currency</h2>
            {country && (
              <p className="mt-0.5 flex items-center gap-1.5 text-xs text-muted">
                <MapPin aria-hidden className="size-3.5 shrink-0" />
                Detected: {country.name}
              </p>
            )}
          </div>
          <ul>
            {currencyCodes.map((option) => (
              <li key={option}>
                <button
                  type="button"
                  aria-current={option === code || undefined}
                  onClick={() => {
                    choose(option);
                    close();
                  }}
                  className="tabular flex min-h-11 w-full items-center gap-3 rounded-md px-3 text-left text-sm transition-colors hover:bg-accent-soft aria-[current]:bg-accent-soft aria-[current]:text-accent-ink">
                  <span className="w-8 text-muted">{currencies[option].symbol}</span>
                  <span className="flex-1 font-semibold">{option}</span>
                  <span className="text-muted">{currencies[option].rate}</span>
                  <Check aria-hidden className={classNames('size-4', option !== code && 'invisible')} />
                </button>
              </li>
            ))}
          </ul>
          <p className="mt-2 border-t border-line px-3 pt-3 pb-1 text-xs text-muted">
            Prices are converted from USD. Payment is in USD.
          </p>
        </>
      )}
    </Popover>
  );
}

const countedItems = (count: number) => `${count} ${plural(count, 'item')}`;

export function CartButton() {
  const { count, open } = useCart();
  return (
    <IconButton icon={ShoppingCart} iconClass="size-5.5" label={`Shopping cart, ${countedItems(count)}`} onClick={open}>
      {count > 0 && (
        <span
          key={count}
          className="pop tabular absolute top-0.5 right-0 grid h-5 min-w-5 place-items-center rounded-full bg-accent px-1 text-xs font-bold text-on-accent">
          {count}
        </span>
      )}
    </IconButton>
  );
}

/** The cart button on small screens; shown while the cart has lines, except at the checkout. */
export function FloatingCart() {
  const { count, open } = useCart();
  const { pathname } = useLocation();
  if (count === 0 || pathname === '/checkout') return null;
  return (
    <button
      type="button"
      aria-label={`Open cart, ${countedItems(count)}`}
      onClick={open}
      className="fixed right-4 bottom-4 z-30 grid size-14 place-items-center rounded-full bg-accent text-on-accent forced-colors:border shadow-float transition-colors hover:bg-accent-strong md:hidden">
      <ShoppingCart aria-hidden className="size-6" />
      <span
        key={count}
        className="pop tabular absolute -top-1 -right-1 grid h-6 min-w-6 place-items-center rounded-full border-2 border-ground bg-sale px-1 text-xs font-bold text-on-sale">
        {count}
      </span>
    </button>
  );
}

export function SessionLinks({ className }: { className?: string }) {
  const { status, user, isSigningOut, signOut } = useSession();
  if (status === 'signed-out') {
    return (
      <ButtonLink to="/login" state={toTop} className={classNames('ml-1', className)}>
        Sign In
      </ButtonLink>
    );
  }
  return (
    <nav aria-label="Your account" className={classNames('flex items-center gap-1', className)}>
      {accountLinks(user).map((link) => (
        <IconLink key={link.to} {...link} iconClass="size-5.5" state={toTop} />
      ))}
      <Button icon={LogOut} variant="quiet" loading={isSigningOut} onClick={() => void signOut()}>
        Logout
      </Button>
    </nav>
  );
}

const accountLinks = (user: User | null) => [
  ...(user?.role === 'admin' ? [{ to: '/admin', label: 'Dashboard', icon: LayoutDashboard }] : []),
  { to: '/orders', label: 'My Orders', icon: ReceiptText },
  { to: '/profile', label: 'My Profile', icon: UserRound },
];

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
  const { status, user, isSigningOut, signOut } = useSession();

  function openCart() {
    onClose();
    cart.open();
  }

  return (
    <nav
      id="mobile-menu"
      aria-label="Menu"
      hidden={!isOpen}
      // Scrolls if the window below the header is lower than the menu.
      className="max-h-[calc(100dvh-4.5rem)] overflow-y-auto overscroll-contain border-t border-line p-2 md:hidden">
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
          {accountLinks(user).map(({ to, label, icon }) => (
            <Link key={to} to={to} state={toTop} onClick={onClose} className={rowClass}>
              {row(icon, label)}
            </Link>
          ))}
          <button type="button" onClick={() => void signOut()} className={rowClass}>
            {row(LogOut, isSigningOut ? 'Logging out…' : 'Logout')}
          </button>
        </>
      )}
    </nav>
  );
}
