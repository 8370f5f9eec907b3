import { Plus, Trash2 } from 'lucide-react';
import { type UseFormReturn, useFieldArray, useWatch } from 'react-hook-form';
import { MAX_BUYER_FIELDS, MAX_LABEL_LENGTH } from '../../../../shared/catalog.ts';
import { formatPrice } from '../../../../shared/currency.ts';
import { formatMoment } from '../../../../shared/format.ts';
import { effectivePrice, priceTermsOf } from '../../../../shared/pricing.ts';
import { shopNow, useClock } from '../../../lib/shop-clock.ts';
import { Button, IconButton, keepFocus } from '../../../ui/button.tsx';
import { Badge } from '../../../ui/display.tsx';
import { Select } from '../../../ui/field.tsx';
import { Checkbox, Field } from '../../../ui/input.tsx';
import { type AdminProduct, bodyOf, type ProductValues, type TypedField } from './product-values.ts';

const kinds: Record<TypedField['kind'], string> = { text: 'Text', choice: 'Choice' };
const newField: TypedField = { label: '', kind: 'text', required: true, choices: '' };

type ProductFormReturn = UseFormReturn<ProductValues, unknown, object>;

export function BuyerFieldsField({ form, label }: { form: ProductFormReturn; label: string }) {
  const { control, register, formState } = form;
  const { fields, append, remove } = useFieldArray({ control, name: 'buyerFields' });
  const typed = useWatch({ control, name: 'buyerFields' });
  const errors = formState.errors.buyerFields;
  return (
    // The fieldset, or the next field, takes the focus from a removed field.
    <fieldset tabIndex={-1} className="grid gap-3 rounded-md border border-line p-4 outline-none">
      <legend className="px-1 text-sm font-semibold">{label}</legend>
      <p className="text-sm text-muted">
        What the checkout asks, such as a player’s id, a server or a region. The answers are shown with the order.
      </p>
      <ol className="grid gap-3 empty:hidden">
        {fields.map((field, place) => (
          <li
            key={field.id}
            tabIndex={-1}
            className="outline-none grid grid-cols-[1fr_auto] items-start gap-3 border-t border-line pt-3 sm:grid-cols-[1fr_8rem_auto]">
            <div className="max-sm:col-span-2">
              <Field
                {...register(`buyerFields.${place}.label`)}
                label={`Label ${place + 1}`}
                required
                maxLength={MAX_LABEL_LENGTH}
                error={errors?.[place]?.label?.message}
              />
            </div>
            <Select {...register(`buyerFields.${place}.kind`)} label={`Kind ${place + 1}`} options={kinds} />
            <IconButton
              icon={Trash2}
              label={`Remove field ${place + 1}`}
              onClick={() => void keepFocus(() => remove(place))}
              className="mt-6"
            />
            {typed[place]?.kind === 'choice' && (
              <div className="col-span-full">
                <Field
                  {...register(`buyerFields.${place}.choices`)}
                  label={`Choices ${place + 1}`}
                  required
                  hint="With commas between them"
                  error={errors?.[place]?.message ?? errors?.[place]?.choices?.message}
                />
              </div>
            )}
            <Checkbox {...register(`buyerFields.${place}.required`)} className="col-span-full">
              Must be filled in<span className="sr-only">: field {place + 1}</span>
            </Checkbox>
          </li>
        ))}
      </ol>
      {fields.length < MAX_BUYER_FIELDS && (
        <Button
          icon={Plus}
          variant="secondary"
          size="sm"
          onClick={() => append(newField)}
          className="justify-self-start">
          Add a field
        </Button>
      )}
    </fieldset>
  );
}

interface PricePreviewProps {
  values: ProductValues;
  original: AdminProduct;
  heading: 'h2' | 'h3';
}

const offerNames = { discount: 'Discount', 'flash-sale': 'Flash sale' } as const;

/** What one unit will cost once the form is saved, now and when an offer starts. Follows the form and the clock. */
export function PricePreview({ values, original, heading: Heading }: PricePreviewProps) {
  useClock((now) => Math.floor(now / 1000));
  const now = shopNow();
  const { price, ...offers } = bodyOf(values, original);
  // An offer without a number that can be read has no price yet.
  const discount = Number.isNaN(offers.discount?.value) ? null : offers.discount;
  const flashSale = Number.isNaN(offers.flashSale?.price) ? null : offers.flashSale;
  const unitsLeft = flashSale && unitsLeftOf(flashSale, original);
  const terms = priceTermsOf({ price, discount, flashSale: flashSale && { ...flashSale, active: true, unitsLeft } });
  const starts = [terms.discount?.startsAt, terms.flashSale?.startsAt]
    .filter((start) => start instanceof Date)
    .filter((start) => start > now)
    .sort((a, b) => a.getTime() - b.getTime());
  return (
    <section aria-label="What a shopper will see" className="grid gap-2 rounded-md bg-sunken p-4">
      <Heading className="text-base">What a shopper will see</Heading>
      {!(price > 0) && <p className="text-sm text-muted">Type a price above 0.</p>}
      <dl className="grid gap-2">
        {(price > 0 ? [null, ...starts] : []).map((from) => {
          const { unitPriceCents, source } = effectivePrice(terms, 1, from ?? now);
          return (
            <div
              key={from?.toISOString() ?? 'now'}
              className="flex flex-wrap items-baseline justify-between gap-x-4 gap-y-1">
              <dt className="text-sm text-muted">{from ? `From ${formatMoment(from)}` : 'Now'}</dt>
              <dd className="tabular flex flex-wrap items-baseline gap-x-2 gap-y-1">
                {source !== 'regular' && (
                  <Badge tone="sale">
                    {offerNames[source]}
                    {source === 'flash-sale' && unitsLeft !== null && `, ${unitsLeft} left`}
                  </Badge>
                )}
                <strong>{formatPrice(unitPriceCents)}</strong>
                {unitPriceCents < terms.priceCents && (
                  <s className="text-sm text-muted">{formatPrice(terms.priceCents)}</s>
                )}
                <span className="text-sm text-muted">{formatPrice(unitPriceCents, 'MYR')}</span>
              </dd>
            </div>
          );
        })}
      </dl>
    </section>
  );
}

type FlashSale = NonNullable<ReturnType<typeof bodyOf>['flashSale']>;

/** Returns the units left of a flash sale; null without a limit. A sale with a new price or time has all its units. */
function unitsLeftOf(sale: FlashSale, { flashSale: original }: AdminProduct): number | null {
  const { limitedStock: limit } = sale;
  if (limit === null || Number.isNaN(limit)) return null;
  const isSame =
    original !== null &&
    sale.price === original.price &&
    (sale.startDate ?? original.startDate) === original.startDate &&
    sale.endDate === original.endDate;
  const taken = isSame ? (original.limitedStock ?? 0) - (original.unitsLeft ?? 0) : 0;
  return Math.max(0, limit - taken);
}
