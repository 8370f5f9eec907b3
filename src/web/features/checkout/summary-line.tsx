import { RESERVED } from '../../../shared/cart-rules.ts';
import { useCart } from '../../state/cart.tsx';
import { type CartLine, isSoldOut, stockNote } from '../../state/cart-prices.ts';
import { useCurrency } from '../../state/currency.tsx';
import { Button } from '../../ui/button.tsx';
import { Picture } from '../../ui/picture.tsx';

interface SummaryLineProps {
  line: CartLine;
  /** Whether it asks for more than there is. */
  isShort: boolean;
  onMended: () => void;
}

export function SummaryLine({ line, isShort, onMended }: SummaryLineProps) {
  const { product, quantity, unitPriceCents } = line;
  const { format } = useCurrency();
  return (
    <li className="flex items-center gap-3">
      <Picture
        src={product.image}
        category={product.category}
        alt=""
        className="aspect-4/3 w-16 shrink-0 self-start rounded-md"
      />
      <div className="min-w-0 flex-1">
        <p className="font-semibold break-words">{product.name}</p>
        <p className="tabular text-sm text-muted">
          {quantity} × {format(unitPriceCents)}
        </p>
        {(isShort || line.limitNote) && <MendLine line={line} isShort={isShort} onMended={onMended} />}
      </div>
      <span
        className={isShort && isSoldOut(line) ? 'tabular text-muted line-through' : 'tabular font-semibold'}
      >
        {format(unitPriceCents * quantity)}
      </span>
    </li>
  );
}

function MendLine({ line, isShort, onMended }: SummaryLineProps) {
  const { _id, name, stock, reserved, maxPerGuest } = line.product;
  const { remove, setQuantity } = useCart();
  const most = isShort ? stock : (maxPerGuest ?? 0);
  function mend() {
    if (most === 0) remove(_id);
    else setQuantity(_id, most);
    onMended();
  }
  return (
    <div className="mt-1 flex flex-wrap items-center gap-x-3 gap-y-1">
      <div className="text-sm">
        <p className="text-warning">{isShort ? stockNote(line) : line.limitNote}</p>
        {isShort && reserved && <p className="text-muted">{RESERVED}</p>}
      </div>
      <Button
        size="sm"
        variant="secondary"
        aria-label={most === 0 ? `Remove ${name}` : `Take ${most} of ${name}`}
        onClick={mend}
      >
        {most === 0 ? 'Remove' : `Take ${most}`}
      </Button>
    </div>
  );
}
