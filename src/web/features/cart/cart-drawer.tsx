import { CircleAlert, ShoppingBag, Trash2, Undo2 } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { Link, useNavigate } from 'react-router';
import { RESERVED } from '../../../shared/cart-rules.ts';
import { productPath } from '../../../shared/pages.ts';
import { itemsInCart, useCart } from '../../state/cart.tsx';
import { inSequence, putBack, remove, setQuantity } from '../../state/cart-actions.ts';
import { isSoldOut, type PricedLine, stockNote } from '../../state/cart-lines.ts';
import { useCurrency } from '../../state/shop.ts';
import { Button, IconButton, QuantityStepper } from '../../ui/button.tsx';
import { Drawer } from '../../ui/dialog.tsx';
import { EmptyState, Picture } from '../../ui/display.tsx';

export function CartDrawer() {
  const { lines, count, isOpen, close, refresh } = useCart();
  const title = (
    <>
      Shopping Cart <span className="tabular text-base font-medium text-muted">({itemsInCart(count)})</span>
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

interface CartLineRowProps {
  line: PricedLine;
  refusal: string | undefined;
  onRefusal(message: string | undefined): void;
  onRemove(): void;
}

function CartLineRow({ line, refusal, onRefusal, onRemove }: CartLineRowProps) {
  const { product, quantity, unitPriceCents, previousPriceCents, limitNote } = line;
  const { close } = useCart();
  const { format } = useCurrency();
  const note = stockNote(line);
  const soldOut = isSoldOut(line);
  const row = useRef<HTMLLIElement>(null);

  const change = (wanted: number) => onRefusal(setQuantity(product._id, wanted));

  function takeStock() {
    change(product.stock);
    row.current?.focus();
  }

  return (
    // Takes the focus from a pressed Take button, which disappears.
    <li ref={row} tabIndex={-1} className="grid grid-cols-[4.5rem_1fr] gap-x-4 gap-y-2 py-4 outline-none">
      <Picture src={product.image} category={product.category} className="aspect-4/3 self-start rounded-md" />
      <div className="grid min-w-0 content-start gap-0.5">
        <div className="flex items-start gap-1">
          {/* Replaces the drawer's history entry. */}
          <Link
            to={productPath(product)}
            replace
            onClick={close}
            dir="auto"
            className="min-w-0 flex-1 text-left font-semibold wrap-anywhere hover:text-accent-ink hover:underline">
            {product.name}
          </Link>
          <IconButton
            icon={Trash2}
            iconClass="size-4.5"
            label={`Remove ${product.name}`}
            onClick={onRemove}
            className="-mt-2.5 -mr-3 -mb-2.5 text-muted hover:bg-danger-soft hover:text-danger"
          />
        </div>
        <p className="tabular text-sm text-muted">{format(unitPriceCents)}</p>
        {previousPriceCents !== undefined && (
          <p className="tabular text-sm text-info">
            {format(previousPriceCents)}, now {format(unitPriceCents)}
          </p>
        )}
        {note && <p className="text-sm text-warning">{note}</p>}
        {product.reserved && <p className="text-xs text-muted">{RESERVED}</p>}
        {limitNote && <p className="text-sm text-warning">{limitNote}</p>}
      </div>
      <div className="col-start-2 flex flex-wrap items-center justify-between gap-x-3 gap-y-1">
        {soldOut ? (
          <Button size="sm" variant="secondary" onClick={onRemove}>
            Remove<span className="sr-only"> what is out of stock: {product.name}</span>
          </Button>
        ) : (
          <QuantityStepper quantity={quantity} of={product.name} onChange={change} />
        )}
        {note && !soldOut && (
          <Button size="sm" variant="secondary" onClick={takeStock}>
            Take {product.stock}
            <span className="sr-only"> of {product.name}</span>
          </Button>
        )}
        <p className={soldOut ? 'tabular text-muted line-through' : 'tabular font-bold'}>
          {format(unitPriceCents * quantity)}
        </p>
      </div>
      {refusal && (
        <p
          role="alert"
          className="col-span-2 flex items-center gap-2 rounded-md bg-danger-soft px-3 py-2 text-sm text-danger">
          <CircleAlert aria-hidden className="size-4 shrink-0" />
          {refusal}
        </p>
      )}
    </li>
  );
}

/** Replaces a removed line until the drawer closes; its button takes the focus. */
function RemovedLineRow({ name, onUndo }: { name: string; onUndo(): void }) {
  const row = useRef<HTMLLIElement>(null);
  useEffect(() => row.current?.querySelector('button')?.focus(), []);
  return (
    <li ref={row} className="py-3">
      <div className="flex items-center justify-between gap-4 rounded-md bg-sunken py-1 pr-1 pl-4">
        <p role="status" className="min-w-0 text-sm wrap-anywhere text-muted">
          {name} was removed
        </p>
        <Button icon={Undo2} size="sm" variant="quiet" onClick={onUndo}>
          Undo<span className="sr-only"> the removal of {name}</span>
        </Button>
      </div>
    </li>
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
