import { useState } from 'react';
import { useCart } from '../../state/cart.tsx';
import { type PricedLine, stockNote } from '../../state/cart-prices.ts';
import { useCurrency } from '../../state/shop.ts';
import { Callout } from '../../ui/badge.tsx';

const byId = (lines: readonly PricedLine[]) => new Map(lines.map((line) => [line.product._id, line]));

/**
 * Returns a sentence for each change of the cart since the checkout was opened, and for each price that has changed
 * since the shopper chose the quantity. Everything that changes the total is included.
 */
export function useCartChanges(): string[] {
  const { lines } = useCart();
  const { format } = useCurrency();
  const [opened] = useState(() => byId(lines));
  const [sawShort, setSawShort] = useState<readonly string[]>([]);

  const short = lines.filter((line) => stockNote(line) !== undefined).map(({ product }) => product._id);
  const newlyShort = short.filter((id) => !sawShort.includes(id));
  if (newlyShort.length > 0) setSawShort([...sawShort, ...newlyShort]);

  function changesOf(line: PricedLine): string[] {
    const { product, quantity, unitPriceCents, previousPriceCents } = line;
    const before = opened.get(product._id);
    const changes: string[] = [];
    if (previousPriceCents !== undefined) {
      changes.push(`${product.name}: ${format(previousPriceCents)}, now ${format(unitPriceCents)}`);
    }
    if (before === undefined) changes.push(`${product.name}: added to your cart`);
    else if (before.quantity !== quantity) {
      changes.push(`${product.name}: quantity ${before.quantity}, now ${quantity}`);
    } else if (sawShort.includes(product._id) && !short.includes(product._id)) {
      changes.push(`${product.name}: available again`);
    }
    const note = stockNote(line);
    return note ? [...changes, `${product.name}: ${note.toLowerCase()}`] : changes;
  }

  const present = byId(lines);
  const gone = [...opened.values()].filter(({ product }) => !present.has(product._id));
  return [...lines.flatMap(changesOf), ...gone.map(({ product }) => `${product.name}: no longer in your cart`)];
}

/** Shown above the form: what the buyer should know before filling it in. */
export function CartChanges({ changes, remedy }: { changes: readonly string[]; remedy: string | undefined }) {
  const { closed } = useCart();
  return (
    <div role="status" className="grid gap-2">
      {closed && (
        <Callout tone="warning" className="font-semibold">
          {closed}
        </Callout>
      )}
      {changes.length > 0 && (
        <Callout tone="warning" className="grid gap-1">
          <h2 className="text-base">Your cart has changed</h2>
          {changes.map((change) => (
            <p key={change} className="tabular wrap-anywhere">
              {change}
            </p>
          ))}
          {remedy && remedy !== closed && <p>{remedy}</p>}
        </Callout>
      )}
    </div>
  );
}
