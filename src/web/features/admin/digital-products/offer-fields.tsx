import { type ReactNode, useId } from 'react';
import { useWatch } from 'react-hook-form';
import { ownTimeZone } from '../../../../shared/dates.ts';
import { Field } from '../../../ui/field.tsx';
import { Select } from '../../../ui/select.tsx';
import type { ProductForm } from './product-fields.tsx';

/** Whose clock the moments typed here are of. */
const OWN_TIME = `In your own time (${ownTimeZone()})`;

const amount = { type: 'number', inputMode: 'decimal', min: 0, step: 0.01 } as const;

export function DiscountFields({ form: { register, control, formState } }: { form: ProductForm }) {
  const type = useWatch({ control, name: 'discount.type' });
  const errors = formState.errors.discount;
  return (
    <Group title="Discount">
      <Select {...register('discount.type')} label="Discount type" error={errors?.type?.message}>
        <option value="none">None</option>
        <option value="percentage">Percentage</option>
        <option value="fixed">Fixed amount</option>
      </Select>
      {type !== 'none' && (
        <>
          <Field
            {...register('discount.value')}
            {...amount}
            {...(type === 'percentage' && { max: 100 })}
            label={type === 'percentage' ? 'Discount (%)' : 'Discount (USD)'}
            hint="Left empty, there is no discount"
            error={errors?.value?.message}
          />
          <Field
            {...register('discount.startDate')}
            label="Discount starts"
            optional
            type="datetime-local"
            hint={OWN_TIME}
            error={errors?.startDate?.message}
          />
          <Field
            {...register('discount.endDate')}
            label="Discount ends"
            optional
            type="datetime-local"
            hint={OWN_TIME}
            error={errors?.endDate?.message}
          />
        </>
      )}
    </Group>
  );
}

export function FlashSaleFields({ form: { register, control, formState } }: { form: ProductForm }) {
  const enabled = useWatch({ control, name: 'flashSale.enabled' });
  const errors = formState.errors.flashSale;
  return (
    <Group title="Flash sale">
      <label className="flex min-h-11 items-center gap-3 sm:col-span-2">
        <input {...register('flashSale.enabled')} type="checkbox" className="size-5 accent-accent" />
        Enable flash sale
      </label>
      {enabled && (
        <>
          <Field
            {...register('flashSale.price')}
            {...amount}
            label="Flash sale price (USD)"
            hint="Left empty, there is no flash sale"
            error={errors?.price?.message}
          />
          <Field
            {...register('flashSale.limitedStock')}
            label="Limited stock"
            optional
            type="number"
            inputMode="numeric"
            min={0}
            step={1}
            hint="Left empty, it is unlimited"
            error={errors?.limitedStock?.message}
          />
          <Field
            {...register('flashSale.startDate')}
            label="Flash sale starts"
            optional
            type="datetime-local"
            hint={`${OWN_TIME}. Left empty, it starts now`}
            error={errors?.startDate?.message}
          />
          <Field
            {...register('flashSale.endDate')}
            label="Flash sale ends"
            optional
            type="datetime-local"
            hint={OWN_TIME}
            error={errors?.endDate?.message}
          />
        </>
      )}
    </Group>
  );
}

function Group({ title, children }: { title: string; children: ReactNode }) {
  const id = useId();
  return (
    <section aria-labelledby={id} className="grid gap-3 border-t border-line pt-4">
      <h3 id={id} className="text-base">
        {title}
      </h3>
      <div className="grid items-start gap-4 sm:grid-cols-2">{children}</div>
    </section>
  );
}
