import { CircleAlert, Trash2 } from 'lucide-react';
import { RESERVED } from '../../../shared/cart-rules.ts';
import { useCart } from '../../state/cart.tsx';
import { type CartLine, stockNote } from '../../state/cart-prices.ts';
import { useCurrency } from '../../state/currency.tsx';
import { IconButton } from '../../ui/icon-button.tsx';
import { Picture } from '../../ui/picture.tsx';
import { QuantityStepper } from '../../ui/quantity-stepper.tsx';

interface CartLineRowProps {
  line: CartLine;
  refusal: string | undefined;
  onRefusal(message: string | undefined): void;
  onRemoved(): void;
}

export function CartLineRow({ line, refusal, onRefusal, onRemoved }: CartLineRowProps) {
  const { product, quantity, unitPriceCents, limitNote } = line;
  const { setQuantity, remove } = useCart();
  const { format } = useCurrency();
  const note = stockNote(line);

  function change(wanted: number) {
    const result = setQuantity(product._id, wanted);
    onRefusal(result.ok ? undefined : result.message);
  }

  return (
    <li className="grid grid-cols-[4.5rem_1fr] gap-x-4 gap-y-2 py-4">
      <Picture
        src={product.image}
        category={product.category}
        alt=""
        className="aspect-4/3 self-start rounded-md"
      />
      <div className="grid min-w-0 content-start gap-0.5">
        <div className="flex items-start gap-1">
          <p className="min-w-0 flex-1 font-semibold wrap-anywhere">{product.name}</p>
          <IconButton
            label={`Remove ${product.name}`}
            onClick={() => {
              remove(product._id);
              onRemoved();
            }}
            className="-mt-2.5 -mr-3 text-muted hover:bg-danger-soft hover:text-danger"
          >
            <Trash2 aria-hidden className="size-4.5" />
          </IconButton>
        </div>
        <p className="tabular text-sm text-muted">{format(unitPriceCents)}</p>
        {/* Only a note: the units may be short because this very cart's unfinished payment holds them. */}
        {note && <p className="text-sm text-warning">{note}</p>}
        {product.reserved && <p className="text-xs text-muted">{RESERVED}</p>}
        {limitNote && <p className="text-sm text-warning">{limitNote}</p>}
      </div>
      <div className="col-start-2 flex flex-wrap items-center justify-between gap-x-3 gap-y-1">
        <QuantityStepper quantity={quantity} of={product.name} onChange={change} />
        <p className="tabular font-bold">{format(unitPriceCents * quantity)}</p>
      </div>
      {refusal && (
        <p
          role="alert"
          className="col-span-2 flex items-center gap-2 rounded-md bg-danger-soft px-3 py-2 text-sm text-danger"
        >
          <CircleAlert aria-hidden className="size-4 shrink-0" />
          {refusal}
        </p>
      )}
    </li>
  );
}
