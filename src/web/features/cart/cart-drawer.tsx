import { ShoppingBag } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { useNavigate } from 'react-router';
import { TAKE_FEWER } from '../../../shared/cart-rules.ts';
import { useCart } from '../../state/cart.tsx';
import { useCurrency } from '../../state/currency.tsx';
import { Button } from '../../ui/button.tsx';
import { Drawer } from '../../ui/drawer.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { CartLineRow } from './cart-line-row.tsx';

export function CartDrawer() {
  const { lines, count, isOpen, close, refresh } = useCart();
  const content = useRef<HTMLDivElement>(null);
  // One line at a time has been refused; the words go when anything else is tried.
  const [refusal, setRefusal] = useState<{ id: string; message: string }>();

  // Prices and stock may be days old. When they cannot be read, the server still checks them before a payment.
  useEffect(() => {
    if (isOpen) void Promise.allSettled([refresh()]);
    else setRefusal(undefined);
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
      {/* Takes the focus of a line that is removed, so that a reader stays in the cart. */}
      <div ref={content} tabIndex={-1} className="outline-none">
        {lines.length === 0 ? (
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
        ) : (
          <ul className="divide-y divide-line px-5">
            {lines.map((line) => (
              <CartLineRow
                key={line.product._id}
                line={line}
                refusal={refusal?.id === line.product._id ? refusal.message : undefined}
                onRemoved={() => content.current?.focus()}
                onRefusal={(message) =>
                  setRefusal(message === undefined ? undefined : { id: line.product._id, message })
                }
              />
            ))}
          </ul>
        )}
      </div>
    </Drawer>
  );
}

function CartFooter() {
  const { lines, totalCents, limitNote, close } = useCart();
  const isOverLimit = limitNote !== undefined || lines.some((line) => line.limitNote !== undefined);
  const { code, format } = useCurrency();
  const navigate = useNavigate();

  function goToCheckout() {
    close();
    void navigate('/checkout');
  }

  return (
    <div className="grid gap-3">
      <p aria-live="polite" className="tabular flex items-baseline justify-between gap-3">
        <span className="font-semibold">Total:</span>
        <span className="text-xl font-bold tracking-tight">
          {format(totalCents)} <span className="text-sm font-medium tracking-normal text-muted">{code}</span>
        </span>
      </p>
      {isOverLimit && (
        <p id="over-limit" className="text-sm text-warning">
          {limitNote && `${limitNote}. `}
          {TAKE_FEWER}
        </p>
      )}
      <Button
        size="lg"
        onClick={goToCheckout}
        disabled={isOverLimit}
        aria-describedby={isOverLimit ? 'over-limit' : undefined}
      >
        Proceed to Checkout
      </Button>
      <p className="text-center text-xs text-muted">Tax is added at checkout. Payment is in USD.</p>
    </div>
  );
}
