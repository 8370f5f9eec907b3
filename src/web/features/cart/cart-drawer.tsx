import { ShoppingBag } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { useNavigate } from 'react-router';
import { TAKE_FEWER } from '../../../shared/cart-rules.ts';
import { useCart } from '../../state/cart.tsx';
import { type CartLine, stockRemedy } from '../../state/cart-prices.ts';
import { useCurrency } from '../../state/currency.tsx';
import { Button } from '../../ui/button.tsx';
import { Drawer } from '../../ui/drawer.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { CartLineRow, RemovedLineRow } from './cart-line-row.tsx';

export function CartDrawer() {
  const { lines, count, isOpen, close, refresh } = useCart();

  // Prices and stock may be days old. When they cannot be read, the server still checks them before a payment.
  useEffect(() => {
    if (isOpen) void Promise.allSettled([refresh()]);
  }, [isOpen, refresh]);

  return (
    <Drawer
      isOpen={isOpen}
      onClose={close}
      title={
        <>
          Shopping Cart{' '}
          <span className="tabular text-base font-medium text-muted">
            ({count} {count === 1 ? 'item' : 'items'})
          </span>
        </>
      }
      footer={lines.length > 0 && <CartFooter />}
    >
      {/* What was refused or removed is forgotten when the drawer closes. */}
      <CartLines key={String(isOpen)} />
    </Drawer>
  );
}

function CartLines() {
  const { lines, close, remove, putBack } = useCart();
  // One line at a time has been refused; the words go when anything else is tried.
  const [refusal, setRefusal] = useState<{ id: string; message: string }>();
  const [removed, setRemoved] = useState<CartLine[]>([]);
  // The ids of all lines as they were shown when one was last removed, so that it keeps its place.
  const [order, setOrder] = useState<string[]>([]);
  const content = useRef<HTMLDivElement>(null);

  const idOf = ({ product }: CartLine) => product._id;
  const present = new Set(lines.map(idOf));
  const gone = removed.filter((line) => !present.has(idOf(line)));
  const rows = [...lines, ...gone].sort((one, other) => placeIn(order, one) - placeIn(order, other));

  function takeOut(line: CartLine) {
    setOrder(rows.map(idOf));
    setRemoved([...gone, line]);
    setRefusal(undefined);
    remove(idOf(line));
  }

  function undo(line: CartLine) {
    putBack(line, order);
    content.current?.focus();
  }

  return (
    // Takes the focus of an Undo that is gone with its press, so that a reader stays in the cart.
    <div ref={content} tabIndex={-1} className="outline-none">
      {rows.length > 0 && (
        <ul className="divide-y divide-line px-5">
          {rows.map((line) =>
            gone.includes(line) ? (
              <RemovedLineRow
                key={`removed ${idOf(line)}`}
                name={line.product.name}
                onUndo={() => undo(line)}
              />
            ) : (
              <CartLineRow
                key={idOf(line)}
                line={line}
                refusal={refusal?.id === idOf(line) ? refusal.message : undefined}
                onRemove={() => takeOut(line)}
                onRefusal={(message) =>
                  setRefusal(message === undefined ? undefined : { id: idOf(line), message })
                }
              />
            ),
          )}
        </ul>
      )}
      {lines.length === 0 && (
        <EmptyState
          icon={ShoppingBag}
          title="Your cart is empty"
          heading="h3"
          action={
            <Button variant="secondary" onClick={close}>
              Continue Shopping
            </Button>
          }
        >
          Add some products to get started!
        </EmptyState>
      )}
    </div>
  );
}

/** Lines that were added later come last. */
function placeIn(order: readonly string[], { product }: CartLine): number {
  const place = order.indexOf(product._id);
  return place === -1 ? order.length : place;
}

function CartFooter() {
  const { lines, totalCents, limitNote, close } = useCart();
  const isOverLimit = limitNote !== undefined || lines.some((line) => line.limitNote !== undefined);
  const limitRemedy = isOverLimit ? `${limitNote ? `${limitNote}. ` : ''}${TAKE_FEWER}` : undefined;
  const remedy = stockRemedy(lines) ?? limitRemedy;
  const { code, format } = useCurrency();
  const navigate = useNavigate();

  function goToCheckout() {
    close();
    // Takes the place of the drawer in the history.
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
        aria-describedby={remedy && 'why-not-yet'}
      >
        Proceed to Checkout
      </Button>
      <p className="text-center text-xs text-muted">Tax is added at checkout. Payment is in USD.</p>
    </div>
  );
}
