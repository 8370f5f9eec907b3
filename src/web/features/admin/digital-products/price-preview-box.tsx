import { type Control, useWatch } from 'react-hook-form';
import type { AdminDigitalProduct } from '../../../../shared/admin-catalog.ts';
import { formatPrice } from '../../../../shared/currency.ts';
import { formatMoment } from '../../../../shared/dates.ts';
import { useNow } from '../../../lib/use-now.ts';
import { Badge } from '../../../ui/badge.tsx';
import { type PreviewedPrice, previewPrices } from './price-preview.ts';
import type { ProductValues } from './product-form.ts';

interface PricePreviewProps {
  control: Control<ProductValues, unknown, object>;
  original: AdminDigitalProduct;
}

/** Follows the form at every key, and the clock. */
export function PricePreview({ control, original }: PricePreviewProps) {
  const values = useWatch({ control }) as ProductValues;
  const now = useNow(true);
  const prices = previewPrices(values, original, new Date(now));
  return (
    <section aria-label="What a shopper will see" className="grid gap-2 rounded-md bg-sunken p-4">
      <h3 className="text-base">What a shopper will see</h3>
      {prices.length === 0 && <p className="text-sm text-muted">Type a price above 0.</p>}
      <dl className="grid gap-2">
        {prices.map((price) => (
          <div
            key={price.from?.toISOString() ?? 'now'}
            className="flex flex-wrap items-baseline justify-between gap-x-4 gap-y-1"
          >
            <dt className="text-sm text-muted">{price.from ? `From ${formatMoment(price.from)}` : 'Now'}</dt>
            <dd className="tabular flex flex-wrap items-baseline gap-x-2 gap-y-1">
              <Amounts price={price} />
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

const offers = { regular: '', discount: 'Discount', 'flash-sale': 'Flash sale' } as const;

function Amounts({ price }: { price: PreviewedPrice }) {
  const { unitPriceCents, regularPriceCents, source, unitsLeft } = price;
  return (
    <>
      {source !== 'regular' && (
        <Badge tone="sale">
          {offers[source]}
          {unitsLeft !== null && `, ${unitsLeft} left`}
        </Badge>
      )}
      <strong>{formatPrice(unitPriceCents)}</strong>
      {unitPriceCents < regularPriceCents && (
        <s className="text-sm text-muted">{formatPrice(regularPriceCents)}</s>
      )}
      <span className="text-sm text-muted">{formatPrice(unitPriceCents, 'MYR')}</span>
    </>
  );
}
