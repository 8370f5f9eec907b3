import { ShoppingCart } from 'lucide-react';
import { useLocation } from 'react-router';
import { useCart } from '../../state/cart.tsx';

/** Within a thumb's reach on small screens, while there is something in the cart; never over the form that pays it. */
export function FloatingCart() {
  const { count, open } = useCart();
  const { pathname } = useLocation();
  if (count === 0 || pathname === '/checkout') return null;
  return (
    <button
      type="button"
      aria-label={`Open cart, ${count} ${count === 1 ? 'item' : 'items'}`}
      onClick={open}
      className="fixed right-4 bottom-4 z-30 grid size-14 place-items-center rounded-full bg-accent text-on-accent shadow-float transition-colors hover:bg-accent-strong md:hidden"
    >
      <ShoppingCart aria-hidden className="size-6" />
      <span
        key={count}
        className="pop tabular absolute -top-1 -right-1 grid h-6 min-w-6 place-items-center rounded-full border-2 border-ground bg-sale px-1 text-xs font-bold text-on-sale"
      >
        {count}
      </span>
    </button>
  );
}
