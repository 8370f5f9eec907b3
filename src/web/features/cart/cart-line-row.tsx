import { CircleAlert, Trash2, Undo2 } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { Link } from 'react-router';
import { RESERVED } from '../../../shared/cart-rules.ts';
import { productPath } from '../../../shared/pages.ts';
import { useCart } from '../../state/cart.tsx';
import { setQuantity } from '../../state/cart-actions.ts';
import { isSoldOut, type PricedLine, stockNote } from '../../state/cart-lines.ts';
import { useCurrency } from '../../state/shop.ts';
import { Button, IconButton, QuantityStepper } from '../../ui/button.tsx';
import { Picture } from '../../ui/display.tsx';

interface CartLineRowProps {
  line: PricedLine;
  refusal: string | undefined;
  onRefusal(message: string | undefined): void;
  onRemove(): void;
}

export function CartLineRow({ line, refusal, onRefusal, onRemove }: CartLineRowProps) {
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
            className="min-w-0 flex-1 font-semibold wrap-anywhere hover:text-accent-ink hover:underline">
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
export function RemovedLineRow({ name, onUndo }: { name: string; onUndo(): void }) {
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
