import { Menu, X } from 'lucide-react';
import { useState, useSyncExternalStore } from 'react';
import { Link } from 'react-router';
import { classNames } from '../../ui/class-names.ts';
import { iconButtonClass } from '../../ui/icon-button.tsx';
import { CurrencyMenu } from './currency-menu.tsx';
import { CartButton, SessionLinks, ThemeButton } from './header-controls.tsx';
import { Mark } from './mark.tsx';
import { MobileMenu } from './mobile-menu.tsx';
import { TestModeNotice } from './test-mode-notice.tsx';
import { toTop } from './use-screen-change.ts';

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
      )}
    >
      {/* Of one height: were it to shrink, the page would move below the scroll position that shrank it. */}
      <div className="mx-auto flex h-16 max-w-page items-center gap-1 px-4 sm:h-18 sm:gap-2 sm:px-6">
        <div className="relative mr-auto">
          <Link to="/" state={toTop} className="flex min-h-11 items-center gap-2.5 rounded-md">
            <Mark className="size-9" />
            <span className="font-display text-xl font-bold tracking-tight max-sm:pb-2.5">{storeName}</span>
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
          className={iconButtonClass('md:hidden')}
        >
          {isMenuOpen ? <X aria-hidden className="size-5.5" /> : <Menu aria-hidden className="size-5.5" />}
        </button>
      </div>
      <MobileMenu isOpen={isMenuOpen} onClose={() => setIsMenuOpen(false)} />
    </header>
  );
}
