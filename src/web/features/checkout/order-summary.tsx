import { type ReactNode, useRef } from 'react';
import { formatPrice } from '../../../shared/currency.ts';
import { TAX_PERCENT } from '../../../shared/pricing.ts';
import type { CartLine } from '../../state/cart-prices.ts';
import { useCurrency } from '../../state/currency.tsx';
import { Card } from '../../ui/card.tsx';
import type { Quote } from './quote.ts';
import { SummaryLine } from './summary-line.tsx';

interface OrderSummaryProps {
  quote: Quote;
  /** Of its lines those that the shop has not enough of; what is sold out is not in the sums. */
  short: readonly CartLine[];
  /** The way to pay, below the total. */
  children: ReactNode;
}

export function OrderSummary({ quote, short, children }: OrderSummaryProps) {
  const { code, format } = useCurrency();
  const heading = useRef<HTMLHeadingElement>(null);
  const { itemsCents, taxCents, totalCents } = quote.totals;
  return (
    <Card className="grid gap-5 p-5 sm:p-6 lg:sticky lg:top-24">
      {/* Takes the focus of a line that is removed. */}
      <h2 ref={heading} tabIndex={-1} className="text-lg outline-none">
        Order Summary
      </h2>
      <ul className="grid gap-4">
        {quote.lines.map((line) => (
          <SummaryLine
            key={line.product._id}
            line={line}
            isShort={short.includes(line)}
            onMended={() => heading.current?.focus()}
          />
        ))}
      </ul>
      <dl aria-live="polite" className="tabular grid gap-2 border-t border-line pt-4">
        <Row label="Subtotal">{format(itemsCents)}</Row>
        <Row label={`Tax (${TAX_PERCENT}%)`}>{format(taxCents)}</Row>
        <Row label="Digital Delivery">
          <span className="font-semibold text-success">FREE</span>
        </Row>
        <div className="flex items-baseline justify-between gap-4 border-t border-line pt-3 text-lg font-bold">
          <dt>Total</dt>
          <dd>{format(totalCents)}</dd>
        </div>
      </dl>
      {code !== 'USD' && (
        <p className="rounded-md bg-info-soft px-4 py-3 text-sm text-info">
          Prices are shown in {code}, converted from USD. Payment is in USD: your card is charged{' '}
          <strong className="tabular">{formatPrice(totalCents)}</strong>.
        </p>
      )}
      {children}
    </Card>
  );
}

function Row({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="flex justify-between gap-4">
      <dt className="text-muted">{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}
