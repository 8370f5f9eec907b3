import type { ReactNode } from 'react';
import { formatPrice } from '../../../shared/currency.ts';
import { TAX_PERCENT } from '../../../shared/pricing.ts';
import { useCurrency } from '../../state/currency.tsx';
import { Card } from '../../ui/card.tsx';
import { Picture } from '../../ui/picture.tsx';
import type { Quote } from './quote.ts';

interface OrderSummaryProps {
  quote: Quote;
  /** The way to pay, below the total. */
  children: ReactNode;
}

export function OrderSummary({ quote, children }: OrderSummaryProps) {
  const { code, format } = useCurrency();
  const { itemsCents, taxCents, totalCents } = quote.totals;
  return (
    <Card className="grid gap-5 p-5 sm:p-6 lg:sticky lg:top-24">
      <h2 className="text-lg">Order Summary</h2>
      <ul className="grid gap-4">
        {quote.lines.map(({ product, quantity, unitPriceCents }) => (
          <li key={product._id} className="flex items-center gap-3">
            <Picture src={product.image} alt="" className="aspect-4/3 w-16 shrink-0 rounded-md" />
            <span className="min-w-0 flex-1">
              <span className="block font-semibold break-words">{product.name}</span>
              <span className="tabular text-sm text-muted">
                {quantity} × {format(unitPriceCents)}
              </span>
            </span>
            <span className="tabular font-semibold">{format(unitPriceCents * quantity)}</span>
          </li>
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
