import { type ReactNode, useEffect, useEffectEvent, useRef, useState } from 'react';
import { RESERVED } from '../../../shared/cart-rules.ts';
import { formatPrice } from '../../../shared/currency.ts';
import { isolated } from '../../../shared/format.ts';
import { adjustmentsOf } from '../../../shared/pricing.ts';
import { useCart } from '../../state/cart.tsx';
import { remove, setQuantity } from '../../state/cart-actions.ts';
import { isSoldOut, type PricedLine, stockNote } from '../../state/cart-lines.ts';
import { useCurrency } from '../../state/shop.ts';
import { Button } from '../../ui/button.tsx';
import { Callout, Card, classNames } from '../../ui/display.tsx';
import { LineRow, SumRow } from '../../ui/order-parts.tsx';
import { type CartSnapshot, needsShipping, type ShippingQuote } from './order-calls.ts';

const FREE = <span className="font-semibold text-success">FREE</span>;

const MAX_LINES_SHOWN = 6;

const lacksStock = (line: PricedLine) => stockNote(line) !== undefined;

interface OrderSummaryProps {
  /** The totals exclude sold-out lines. */
  snapshot: CartSnapshot;
  /** Undefined for a cart without physical goods, and while a payment runs. */
  shipping: ShippingQuote | undefined;
  /** True while a payment runs: missing stock is not shown then. */
  readOnly: boolean;
  children: ReactNode;
}

export function OrderSummary({ snapshot, shipping, readOnly, children }: OrderSummaryProps) {
  const { code, format } = useCurrency();
  const heading = useRef<HTMLHeadingElement>(null);
  const { lines } = snapshot;
  const { itemsCents, shippingCents, totalCents } = snapshot.totals;
  // Beside the form, the list of a large cart scrolls, so that the total and Pay stay in sight.
  const isLong = lines.length > MAX_LINES_SHOWN;
  const isPriced = shipping === undefined || shipping.cents !== undefined;
  return (
    <Card className="grid gap-5 p-5 sm:p-6 lg:sticky lg:top-[calc(var(--below-header)+1.5rem)]">
      {/* Takes the focus when a line is removed. */}
      <h2 ref={heading} tabIndex={-1} className="text-lg outline-none">
        Order Summary
      </h2>
      <ul
        aria-label="Items"
        tabIndex={isLong ? 0 : undefined}
        className={classNames('grid gap-4', isLong && 'lg:-mr-3 lg:max-h-[40vh] lg:overflow-y-auto lg:pr-3')}>
        {lines.map((line) => (
          <SummaryLine
            key={line.product._id}
            line={line}
            isShort={!readOnly && lacksStock(line)}
            onFixed={() => heading.current?.focus()}
          />
        ))}
      </ul>
      <dl aria-live="polite" className="tabular grid gap-2 border-t border-line pt-4">
        <SumRow label="Subtotal" amount={format(itemsCents)} />
        {adjustmentsOf(snapshot.totals).map(({ label, cents }) => (
          <SumRow key={label} label={label} amount={format(cents)} />
        ))}
        {needsShipping(lines) && shippingCents === 0 && (
          <SumRow label="Shipping" amount={isPriced ? FREE : 'Not known yet'} />
        )}
        {lines.some(({ product }) => product.kind === 'digital') && <SumRow label="Digital Delivery" amount={FREE} />}
        <div className="flex flex-wrap items-baseline justify-between gap-x-4 border-t border-line pt-3 text-lg font-bold">
          <dt>{isPriced ? 'Total' : 'Total without shipping'}</dt>
          <dd className="ml-auto wrap-anywhere">{format(totalCents)}</dd>
        </div>
      </dl>
      {shipping?.freeAboveCents !== undefined && shippingCents > 0 && (
        <p className="text-sm text-muted">
          Physical goods worth {format(shipping.freeAboveCents)} or more are sent free of charge.
        </p>
      )}
      {shipping?.problem && (
        <div className="grid justify-items-start gap-2">
          <p role="alert" className="text-sm text-danger">
            {shipping.problem}
          </p>
          {shipping.retry && (
            <Button size="sm" variant="secondary" onClick={shipping.retry}>
              Try again
            </Button>
          )}
        </div>
      )}
      {code !== 'USD' && (
        <Callout tone="info" className="text-sm">
          Prices are shown in {code}, converted from USD. Payment is in USD: your card is charged{' '}
          <strong className="tabular">{formatPrice(totalCents)}</strong>.
        </Callout>
      )}
      {children}
    </Card>
  );
}

interface SummaryLineProps {
  line: PricedLine;
  isShort: boolean;
  onFixed: () => void;
}

function SummaryLine({ line, isShort, onFixed }: SummaryLineProps) {
  const { product, quantity, unitPriceCents } = line;
  const { format } = useCurrency();
  const priceClass = isShort && isSoldOut(line) ? 'text-muted line-through' : 'font-semibold';
  return (
    <LineRow
      {...product}
      detail={`${quantity} × ${format(unitPriceCents)}`}
      price={<span className={`tabular ${priceClass}`}>{format(unitPriceCents * quantity)}</span>}>
      {(isShort || line.limitNote) && <FixLine line={line} isShort={isShort} onFixed={onFixed} />}
    </LineRow>
  );
}

function FixLine({ line, isShort, onFixed }: SummaryLineProps) {
  const { _id, name, stock, reserved, maxPerGuest } = line.product;
  const most = isShort ? stock : (maxPerGuest ?? 0);
  function fix() {
    if (most === 0) remove(_id);
    else setQuantity(_id, most);
    onFixed();
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
        onClick={fix}>
        {most === 0 ? 'Remove' : `Take ${most}`}
      </Button>
    </div>
  );
}

const REFRESH_EVERY_MS = 15_000;

/** Refreshes the cart while a line exceeds the stock or the shop is closed. Calls `onFixed` when this has ended. */
export function useStockRefresh(onFixed: () => void): void {
  const { lines, closed, refresh } = useCart();
  const isWaiting = closed !== null || lines.some(lacksStock);
  const end = useEffectEvent(onFixed);
  // Unpaid units of other buyers become available again. A failed refresh is followed by the next one. The first
  // refresh is immediate, because the stock may not include the units held by this browser's own unpaid order.
  useEffect(() => {
    if (!isWaiting) return;
    const refreshStock = () => void refresh().catch(() => undefined);
    refreshStock();
    const timer = setInterval(refreshStock, REFRESH_EVERY_MS);
    return () => {
      clearInterval(timer);
      end();
    };
  }, [isWaiting, refresh]);
}

const byId = (lines: readonly PricedLine[]) => new Map(lines.map((line) => [line.product._id, line]));

/** A sentence for each change since the checkout was opened, and for each price since the quantity was chosen. */
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
    const name = isolated(product.name);
    const before = opened.get(product._id);
    const changes: string[] = [];
    if (previousPriceCents !== undefined) {
      changes.push(`${name}: ${format(previousPriceCents)}, now ${format(unitPriceCents)}`);
    }
    if (before === undefined) changes.push(`${name}: added to your cart`);
    else if (before.quantity !== quantity) {
      changes.push(`${name}: quantity ${before.quantity}, now ${quantity}`);
    } else if (sawShort.includes(product._id) && !short.includes(product._id)) {
      changes.push(`${name}: available again`);
    }
    const note = stockNote(line);
    return note ? [...changes, `${name}: ${note.toLowerCase()}`] : changes;
  }

  const present = byId(lines);
  const gone = [...opened.values()].filter(({ product }) => !present.has(product._id));
  return [
    ...lines.flatMap(changesOf),
    ...gone.map(({ product }) => `${isolated(product.name)}: no longer in your cart`),
  ];
}

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
