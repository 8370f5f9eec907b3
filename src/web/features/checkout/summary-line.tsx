import { useCart } from '../../state/cart.tsx';
import { type CartLine, stockNote } from '../../state/cart-prices.ts';
import { useCurrency } from '../../state/currency.tsx';
import { Button } from '../../ui/button.tsx';
import { Picture } from '../../ui/picture.tsx';

interface SummaryLineProps {
  line: CartLine;
  /** Whether the shop has refused it because there are not as many. */
  isShort: boolean;
  onMended: () => void;
}

export function SummaryLine({ line, isShort, onMended }: SummaryLineProps) {
  const { product, quantity, unitPriceCents } = line;
  const { format } = useCurrency();
  const isSoldOut = isShort && product.stock === 0;
  return (
    <li className="flex items-center gap-3">
      <Picture src={product.image} alt="" className="aspect-4/3 w-16 shrink-0 self-start rounded-md" />
      <div className="min-w-0 flex-1">
        <p className="font-semibold break-words">{product.name}</p>
        <p className="tabular text-sm text-muted">
          {quantity} × {format(unitPriceCents)}
        </p>
        {isShort && <MendLine line={line} onMended={onMended} />}
      </div>
      <span className={isSoldOut ? 'tabular text-muted line-through' : 'tabular font-semibold'}>
        {format(unitPriceCents * quantity)}
      </span>
    </li>
  );
}

function MendLine({ line, onMended }: Omit<SummaryLineProps, 'isShort'>) {
  const { _id, name, stock } = line.product;
  const { remove, setQuantity } = useCart();
  function mend() {
    if (stock === 0) remove(_id);
    else setQuantity(_id, stock);
    onMended();
  }
  return (
    <div className="mt-1 flex flex-wrap items-center gap-x-3 gap-y-1">
      <p className="text-sm text-warning">{stockNote(line)}</p>
      <Button
        size="sm"
        variant="secondary"
        aria-label={stock === 0 ? `Remove ${name}` : `Take ${stock} of ${name}`}
        onClick={mend}
      >
        {stock === 0 ? 'Remove' : `Take ${stock}`}
      </Button>
    </div>
  );
}
