import {
  LayoutDashboard,
  LogIn,
  LogOut,
  type LucideIcon,
  Menu,
  Moon,
  ReceiptText,
  ShoppingCart,
  Store,
  Sun,
  UserRound,
  X,
} from 'lucide-react';
import { type KeyboardEvent, type ReactNode, useState, useSyncExternalStore } from 'react';
import { Link } from 'react-router';
import type { User } from '../../../shared/accounts.ts';
import { toTop } from '../../lib/page.ts';
import { itemsInCart, useCart } from '../../state/cart.tsx';
import { useSession } from '../../state/session.tsx';
import { useShop, useTheme } from '../../state/shop.ts';
import { Button, ButtonLink, IconButton, IconLink, iconButtonClass, keepFocus } from '../../ui/button.tsx';
import { classNames } from '../../ui/display.tsx';
import { CurrencyMenu } from './currency-menu.tsx';

const SCROLLED_PX = 20;

function subscribeToScroll(listener: () => void) {
  window.addEventListener('scroll', listener, { passive: true });
  return () => window.removeEventListener('scroll', listener);
}

const useScrolled = () => useSyncExternalStore(subscribeToScroll, () => window.scrollY > SCROLLED_PX);

export function Header({ storeName }: { storeName: string }) {
  const isScrolled = useScrolled();
  const [isMenuOpen, setIsMenuOpen] = useState(false);

  return (
    <header
      // Takes the focus from the Logout button, which disappears.
      tabIndex={-1}
      data-scrolled={isScrolled || undefined}
      className={classNames(
        'sticky top-0 z-40 border-b outline-none transition-[background-color,border-color,box-shadow]',
        isScrolled || isMenuOpen ? 'border-line bg-surface shadow-lift' : 'border-transparent bg-ground',
      )}>
      {/* Constant height: a header that shrinks while the page scrolls would move the page. */}
      <div className="mx-auto flex min-h-16 max-w-page items-center gap-1 px-4 sm:min-h-18 sm:gap-2 sm:px-6">
        {/* What is left of the row beside the controls: a longer name is cut short. */}
        <div className="relative flex min-w-0 flex-1 items-center">
          <Link to="/" state={toTop} className="flex min-h-11 min-w-0 items-center gap-2.5 rounded-md">
            <Mark className="size-9 shrink-0" />
            <span className="truncate text-xl font-bold tracking-tight max-sm:pb-[0.625rem] max-sm:text-[length:min(1.25rem,max(20px,6vw))]">
              {storeName}
            </span>
          </Link>
          <TestModeNotice />
        </div>
        <CurrencyMenu />
        <ThemeButton className="max-md:hidden" />
        <CartButton />
        <SessionLinks className="max-md:hidden" />
        <button
          type="button"
          aria-label="Menu"
          aria-expanded={isMenuOpen}
          aria-controls="mobile-menu"
          onClick={() => setIsMenuOpen(!isMenuOpen)}
          className={iconButtonClass('md:hidden')}>
          {isMenuOpen ? <X aria-hidden className="size-5.5" /> : <Menu aria-hidden className="size-5.5" />}
        </button>
      </div>
      <MobileMenu isOpen={isMenuOpen} onClose={() => setIsMenuOpen(false)} />
    </header>
  );
}

/** Beside the shop's name; on small screens positioned below it, so that nothing moves when it appears. */
function TestModeNotice() {
  if (useShop()?.payments.provider !== 'test-mode') return null;
  return (
    <span
      role="note"
      className="pointer-events-none font-semibold whitespace-nowrap text-warning max-sm:absolute max-sm:bottom-0.75 max-sm:left-11.5 max-sm:text-[0.625rem] max-sm:leading-none max-sm:tracking-wide sm:ml-3 sm:shrink-0 sm:rounded-full sm:bg-warning-soft sm:px-3 sm:py-1 sm:text-xs">
      TEST MODE<span className="font-normal max-lg:sr-only"> · no real money moves</span>
    </span>
  );
}

/** The shop's logo, an awning over a keyhole; drawn in the splash screen of index.html, too. */
export const Mark = ({ className }: { className?: string }) => <img src="/favicon.svg" alt="" className={className} />;

function ThemeButton({ className }: { className?: string }) {
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

function CartButton() {
  const { count, open } = useCart();
  return (
    <IconButton icon={ShoppingCart} iconClass="size-5.5" label={`Shopping cart, ${itemsInCart(count)}`} onClick={open}>
      {count > 0 && (
        <span
          key={count}
          className="pop tabular absolute top-0.5 left-6 grid min-h-5 min-w-5 place-items-center rounded-full bg-accent px-1 text-xs font-bold text-on-accent">
          {count}
        </span>
      )}
    </IconButton>
  );
}

function SessionLinks({ className }: { className?: string }) {
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
      <Button icon={LogOut} variant="quiet" loading={isSigningOut} onClick={() => void keepFocus(signOut)}>
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

function MobileMenu({ isOpen, onClose }: { isOpen: boolean; onClose(): void }) {
  const cart = useCart();
  const { theme, toggle } = useTheme();
  const { status, user, isSigningOut, signOut } = useSession();

  function openCart() {
    onClose();
    cart.open();
  }

  /**
   * Closes the menu when Tab leaves the header: it stays at the top of the window and would cover what gets the focus. A
   * press elsewhere leaves it open, because closing it would move the page under the pointer.
   */
  function closeWhenLeft({ key, currentTarget }: KeyboardEvent) {
    const header = currentTarget.closest('header');
    // The focus moves after this event.
    if (key === 'Tab') requestAnimationFrame(() => header?.contains(document.activeElement) || onClose());
  }

  return (
    <nav
      id="mobile-menu"
      aria-label="Menu"
      tabIndex={-1}
      hidden={!isOpen}
      onKeyDown={closeWhenLeft}
      // Scrolls if the window below the header is lower than the menu.
      className="max-h-[calc(100dvh-4.5rem)] overflow-y-auto overscroll-contain border-t border-line p-2 md:hidden">
      <Link to="/" state={toTop} onClick={onClose} className={rowClass}>
        {row(Store, 'Shop')}
      </Link>
      <button type="button" onClick={openCart} className={rowClass}>
        {row(ShoppingCart, `Cart (${itemsInCart(cart.count)})`)}
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
          <button type="button" onClick={() => void keepFocus(signOut)} className={rowClass}>
            {row(LogOut, isSigningOut ? 'Logging out…' : 'Logout')}
          </button>
        </>
      )}
    </nav>
  );
}
