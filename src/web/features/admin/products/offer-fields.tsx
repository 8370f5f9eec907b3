import { ownTimeZone } from '../../../../shared/format.ts';
import { useId } from 'react';
import { type FieldPath, useWatch } from 'react-hook-form';
import { amount, count, type FieldSpec, ProductField } from './product-fields.tsx';
import type { ProductValues } from './product-values.ts';
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
  {
    name: 'flashSale.price',
    label: 'Flash sale price (USD)',
    ...amount,
    hint: 'Left empty, there is no flash sale',
  },
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
