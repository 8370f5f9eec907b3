import { Menu, X } from 'lucide-react';
import { useState, useSyncExternalStore } from 'react';
import { Link } from 'react-router';
import { toTop } from '../../lib/page.ts';
import { useShop } from '../../state/shop.ts';
import { iconButtonClass } from '../../ui/button.tsx';
import { classNames } from '../../ui/class-names.ts';
import { CartButton, CurrencyMenu, MobileMenu, SessionLinks, ThemeButton } from './header-controls.tsx';

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
      data-scrolled={isScrolled || undefined}
      className={classNames(
        'sticky top-0 z-40 border-b transition-[background-color,border-color,box-shadow]',
        isScrolled || isMenuOpen ? 'border-line bg-surface shadow-lift' : 'border-transparent bg-ground',
      )}>
      {/* Constant height: a header that shrinks while the page scrolls would move the page. */}
      <div className="mx-auto flex min-h-16 max-w-page items-center gap-1 px-4 sm:min-h-18 sm:gap-2 sm:px-6">
        {/* What is left of the row beside the controls: a longer name is cut short. */}
        <div className="relative flex min-w-0 flex-1 items-center">
          <Link to="/" state={toTop} className="flex min-h-11 min-w-0 items-center gap-2.5 rounded-md">
            <Mark className="size-9 shrink-0" />
            <span className="truncate font-display text-xl font-bold tracking-tight max-sm:pb-[0.625rem] max-sm:text-[length:min(1.25rem,max(20px,6vw))]">
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

/**
 * Shown beside the shop's name, on small screens below it, there positioned absolutely. Nothing moves when it appears.
 */
function TestModeNotice() {
  if (useShop()?.payments.provider !== 'test-mode') return null;
  return (
    <p
      role="note"
      className="pointer-events-none font-semibold whitespace-nowrap text-warning max-sm:absolute max-sm:bottom-0.75 max-sm:left-11.5 max-sm:text-[0.625rem] max-sm:leading-none max-sm:tracking-wide sm:ml-3 sm:shrink-0 sm:rounded-full sm:bg-warning-soft sm:px-3 sm:py-1 sm:text-xs">
      TEST MODE<span className="font-normal max-lg:sr-only"> · no real money moves</span>
    </p>
  );
}

/**
 * The shop's logo: an awning over a keyhole. The favicon and the splash screen in index.html contain the same drawing.
 */
export function Mark({ className }: { className?: string }) {
  return (
    <svg viewBox="0 0 32 32" aria-hidden="true" className={className}>
      <rect width="32" height="32" rx="8" fill="#0b6650" />
      <path d="M5 7h22v6.2a3.67 3.67 0 0 1-7.33 0 3.67 3.67 0 0 1-7.34 0 3.67 3.67 0 0 1-7.33 0z" fill="#f3f6f2" />
      <path d="M12.33 7h7.34v6.2a3.67 3.67 0 0 1-7.34 0z" fill="#8be3c5" />
      <circle cx="16" cy="21.2" r="2.7" fill="#f3f6f2" />
      <path d="M14.7 22.5h2.6l.9 5h-4.4z" fill="#f3f6f2" />
    </svg>
  );
}
