import { useId } from 'react';
import { type Control, type FieldPath, useWatch } from 'react-hook-form';
import { priceTermsOf } from '../../../../shared/catalog-choices.ts';
import { formatPrice } from '../../../../shared/currency.ts';
import { formatMoment, ownTimeZone } from '../../../../shared/format.ts';
import { effectivePrice } from '../../../../shared/pricing.ts';
import type { AdminDigitalProduct } from '../../../../shared/products.ts';
import { useNow } from '../../../lib/use-now.ts';
import { Badge } from '../../../ui/badge.tsx';
import { amount, count, type FieldSpec, ProductField } from './product-fields.tsx';
import { bodyOf, type ProductValues } from './product-values.ts';
import type { ProductForm } from './use-product-form.tsx';

// The time zone of the times that are typed here.
const OWN_TIME = `In your own time (${ownTimeZone()})`;

const timeField = (name: FieldPath<ProductValues>, label: string, hint = OWN_TIME): FieldSpec => ({
  name,
  label,
  optional: true,
  type: 'datetime-local',
  hint,
});

const discountTypes = (
  <>
    <option value="none">None</option>
    <option value="percentage">Percentage</option>
    <option value="fixed">Fixed amount</option>
  </>
);

const discountFields = (isPercentage: boolean): FieldSpec[] => [
  {
    name: 'discount.value',
    label: isPercentage ? 'Discount (%)' : 'Discount (USD)',
    ...amount,
    ...(isPercentage && { max: 100 }),
    hint: 'Left empty, there is no discount',
  },
  timeField('discount.startDate', 'Discount starts'),
  timeField('discount.endDate', 'Discount ends'),
];

const flashSaleFields: FieldSpec[] = [
  { name: 'flashSale.price', label: 'Flash sale price (USD)', ...amount, hint: 'Left empty, there is no flash sale' },
  {
    name: 'flashSale.limitedStock',
    label: 'Limited stock',
    optional: true,
    ...count,
    hint: 'Left empty, it is unlimited',
  },
  timeField('flashSale.startDate', 'Flash sale starts', `${OWN_TIME}. Left empty, it starts now`),
  timeField('flashSale.endDate', 'Flash sale ends'),
];

/** Discount and flash sale, each with the fields of what was chosen. */
export function OfferFields({ product }: { product: ProductForm }) {
  const { control } = product.form;
  const [type, isFlashSale] = useWatch({ control, name: ['discount.type', 'flashSale.enabled'] });
  const discount: FieldSpec[] = [
    { name: 'discount.type', label: 'Discount type', control: 'select', options: discountTypes },
    ...(type === 'none' ? [] : discountFields(type === 'percentage')),
  ];
  const flashSale: FieldSpec[] = [
    { name: 'flashSale.enabled', label: 'Enable flash sale', control: 'tick', className: 'sm:col-span-2' },
    ...(isFlashSale ? flashSaleFields : []),
  ];
  return (
    <>
      <OfferGroup title="Discount" product={product} fields={discount} />
      <OfferGroup title="Flash sale" product={product} fields={flashSale} />
    </>
  );
}

interface OfferGroupProps {
  title: string;
  product: ProductForm;
  fields: FieldSpec[];
}

function OfferGroup({ title, product, fields }: OfferGroupProps) {
  const id = useId();
  return (
    <section aria-labelledby={id} className="grid gap-3 border-t border-line pt-4">
      <h3 id={id} className="text-base">
        {title}
      </h3>
      <div className="grid items-start gap-4 sm:grid-cols-2">
        {fields.map((spec) => (
          <ProductField key={spec.name} product={product} spec={spec} />
        ))}
      </div>
    </section>
  );
}

interface PricePreviewProps {
  control: Control<ProductValues, unknown, object>;
  original: AdminDigitalProduct;
}

/** What one unit will cost once the form is saved, now and when an offer starts. Follows the form and the clock. */
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
            className="flex flex-wrap items-baseline justify-between gap-x-4 gap-y-1">
            <dt className="text-sm text-muted">{price.from ? `From ${formatMoment(price.from)}` : 'Now'}</dt>
            <dd className="tabular flex flex-wrap items-baseline gap-x-2 gap-y-1">
              <Amounts {...price} />
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

const offers = { regular: '', discount: 'Discount', 'flash-sale': 'Flash sale' } as const;

type PreviewedPrice = ReturnType<typeof previewPrices>[number];

function Amounts({ unitPriceCents, regularPriceCents, source, unitsLeft }: PreviewedPrice) {
  return (
    <>
      {source !== 'regular' && (
        <Badge tone="sale">
          {offers[source]}
          {unitsLeft !== null && `, ${unitsLeft} left`}
        </Badge>
      )}
      <strong>{formatPrice(unitPriceCents)}</strong>
      {unitPriceCents < regularPriceCents && <s className="text-sm text-muted">{formatPrice(regularPriceCents)}</s>}
      <span className="text-sm text-muted">{formatPrice(unitPriceCents, 'MYR')}</span>
    </>
  );
}

/** Empty while there is no price. `from` is null for the price from now on. Money is integer cents of USD. */
function previewPrices(values: ProductValues, original: AdminDigitalProduct, now: Date) {
  const { price, discount, flashSale } = bodyOf(values, original);
  if (!(price > 0)) return [];
  const terms = priceTermsOf({
    price,
    discount,
    flashSale: flashSale && { ...flashSale, active: true, unitsLeft: unitsLeftOf(flashSale, original) },
  });
  const starts = [terms.discount?.startsAt, terms.flashSale?.startsAt]
    .filter((start) => start instanceof Date)
    .filter((start) => start > now)
    .sort((a, b) => a.getTime() - b.getTime());
  return [null, ...starts].map((from) => {
    const effective = effectivePrice(terms, 1, from ?? now);
    return {
      ...effective,
      from,
      regularPriceCents: terms.priceCents,
      unitsLeft: effective.source === 'flash-sale' ? (terms.flashSale?.unitsLeft ?? null) : null,
    };
  });
}

type FlashSale = NonNullable<ReturnType<typeof bodyOf>['flashSale']>;

/** The same sale keeps what is left of its units; another sale starts with all of them. */
function unitsLeftOf(sale: FlashSale, { flashSale: original }: AdminDigitalProduct): number | null {
  const { limitedStock: limit } = sale;
  if (limit === null) return null;
  const isSame =
    original !== null &&
    sale.price === original.price &&
    (sale.startDate ?? original.startDate) === original.startDate &&
    sale.endDate === original.endDate;
  const taken = isSame ? (original.limitedStock ?? 0) - (original.unitsLeft ?? 0) : 0;
  return Math.max(0, limit - taken);
}
