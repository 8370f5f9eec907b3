import { ShoppingBag, ShoppingCart } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { useLocation, useNavigate } from 'react-router';
import { plural } from '../../../shared/format.ts';
import { useCart } from '../../state/cart.tsx';
import { inSequence, putBack, remove } from '../../state/cart-actions.ts';
import type { PricedLine } from '../../state/cart-lines.ts';
import { useCurrency } from '../../state/shop.ts';
import { Button } from '../../ui/button.tsx';
import { Drawer } from '../../ui/dialog.tsx';
import { EmptyState } from '../../ui/display.tsx';
import { CartLineRow, RemovedLineRow } from './cart-line-row.tsx';

export function CartDrawer() {
  const { lines, count, isOpen, close, refresh } = useCart();
  const title = (
    <>
      Shopping Cart{' '}
      <span className="tabular text-base font-medium text-muted">
        ({count} {plural(count, 'item')})
      </span>
    </>
  );

  // Prices and stock may be days old. If the refresh fails, the server still checks them before a payment.
  useEffect(() => {
    if (isOpen) void Promise.allSettled([refresh()]);
  }, [isOpen, refresh]);

  return (
    <Drawer isOpen={isOpen} onClose={close} title={title} footer={lines.length > 0 && <CartFooter />}>
      {/* Closing the drawer resets messages and removed lines. */}
      <CartLines key={String(isOpen)} />
    </Drawer>
  );
}

function CartLines() {
  const { lines, close } = useCart();
  // The last rejected change. The next change removes its message.
  const [refusal, setRefusal] = useState<{ id: string; message: string | undefined }>();
  const [removed, setRemoved] = useState<PricedLine[]>([]);
  // The ids of all lines in their order when a line was last removed, so that Undo puts the line back at its place.
  const [order, setOrder] = useState<string[]>([]);
  const content = useRef<HTMLDivElement>(null);

  const idOf = ({ product }: PricedLine) => product._id;
  const present = new Set(lines.map(idOf));
  const gone = removed.filter((line) => !present.has(idOf(line)));
  const rows = [...lines, ...gone].sort(inSequence(order));

  function removeLine(line: PricedLine) {
    setOrder(rows.map(idOf));
    setRemoved([...gone, line]);
    setRefusal(undefined);
    remove(idOf(line));
  }

  function undo(line: PricedLine) {
    putBack(line, order);
    content.current?.focus();
  }

  const shop = (
    <Button variant="secondary" onClick={close}>
      Continue Shopping
    </Button>
  );
  return (
    // Takes the focus from a pressed Undo button, which disappears; a screen reader stays in the cart.
    <div ref={content} tabIndex={-1} className="outline-none">
      {rows.length > 0 && (
        <ul className="divide-y divide-line px-5">
          {rows.map((line) => {
            const id = idOf(line);
            if (gone.includes(line)) {
              return <RemovedLineRow key={`removed ${id}`} name={line.product.name} onUndo={() => undo(line)} />;
            }
            return (
              <CartLineRow
                key={id}
                line={line}
                refusal={refusal?.id === id ? refusal.message : undefined}
                onRemove={() => removeLine(line)}
                onRefusal={(message) => setRefusal({ id, message })}
              />
            );
          })}
        </ul>
      )}
      {lines.length === 0 && (
        <EmptyState icon={ShoppingBag} title="Your cart is empty" heading="h3" action={shop}>
          Add some products to get started!
        </EmptyState>
      )}
    </div>
  );
}

function CartFooter() {
  const { lines, totalCents, remedy, close } = useCart();
  const ships = lines.some(({ product }) => product.kind === 'physical');
  const { code, format } = useCurrency();
  const navigate = useNavigate();

  function goToCheckout() {
    close();
    // Replaces the drawer's history entry.
    void navigate('/checkout', { replace: true });
  }

  return (
    <div className="grid gap-3">
      <p aria-live="polite" className="tabular flex items-baseline justify-between gap-3">
        <span className="font-semibold">Total:</span>
        <span className="text-xl font-bold tracking-tight">
          {format(totalCents)} <span className="text-sm font-medium tracking-normal text-muted">{code}</span>
        </span>
      </p>
      {remedy && (
        <p id="why-not-yet" className="text-sm text-warning">
          {remedy}
        </p>
      )}
      <Button
        size="lg"
        onClick={goToCheckout}
        disabled={remedy !== undefined}
        aria-describedby={remedy && 'why-not-yet'}>
        Proceed to Checkout
      </Button>
      <p className="text-center text-xs text-balance text-muted">
        {ships ? 'Tax and shipping are' : 'Tax is'} added at checkout. Payment is in USD.
      </p>
    </div>
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
      aria-label={`Open cart, ${count} ${plural(count, 'item')}`}
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
