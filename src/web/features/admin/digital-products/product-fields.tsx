import { Controller, type UseFormReturn, useWatch } from 'react-hook-form';
import { createDigitalProductBody } from '../../../../shared/admin-catalog.ts';
import { categoryGroups } from '../../../../shared/catalog-choices.ts';
import { maxLengthOf } from '../../../lib/form-fields.ts';
import { Field } from '../../../ui/field.tsx';
import { Select } from '../../../ui/select.tsx';
import { TextArea } from '../../../ui/text-area.tsx';
import { takesFocus } from '../action-form.tsx';
import { ringgit } from '../figures.tsx';
import { ImageField } from '../images/image-field.tsx';
import type { ProductValues } from './product-form.ts';

const limits = createDigitalProductBody.shape;

export type ProductForm = Pick<
  UseFormReturn<ProductValues, unknown, object>,
  'register' | 'control' | 'formState'
>;

/** What both dialogs ask for. */
export function ProductFields({ form }: { form: ProductForm }) {
  const {
    register,
    control,
    formState: { errors },
  } = form;
  const name = register('name');
  return (
    <>
      <Field
        {...name}
        ref={(input) => {
          takesFocus(input);
          name.ref(input);
        }}
        label="Name"
        required
        maxLength={maxLengthOf(limits.name)}
        error={errors.name?.message}
      />
      <TextArea
        {...register('description')}
        label="Description"
        required
        maxLength={maxLengthOf(limits.description)}
        error={errors.description?.message}
      />
      <div className="grid items-start gap-4 sm:grid-cols-2">
        <PriceField form={form} />
        <Select {...register('category')} label="Category" error={errors.category?.message}>
          {Object.entries(categoryGroups).map(([group, names]) => (
            <optgroup key={group} label={group}>
              {names.map((category) => (
                <option key={category}>{category}</option>
              ))}
            </optgroup>
          ))}
        </Select>
      </div>
      <Controller
        control={control}
        name="image"
        render={({ field }) => (
          <ImageField
            label="Image URL"
            {...field}
            maxLength={maxLengthOf(limits.image)}
            error={errors.image?.message}
          />
        )}
      />
      <TextArea
        {...register('deliveryInstructions')}
        label="Delivery Instructions"
        optional
        rows={3}
        maxLength={maxLengthOf(limits.deliveryInstructions)}
        hint="Shown to buyers beside what they bought"
        error={errors.deliveryInstructions?.message}
      />
      <div className="grid items-start gap-4 sm:grid-cols-2">
        <Field
          {...register('warranty')}
          label="Warranty (days)"
          type="number"
          inputMode="numeric"
          min={0}
          max={3650}
          step={1}
          hint="0 for none"
          error={errors.warranty?.message}
        />
        <label className="flex min-h-11 items-center gap-3 sm:mt-6">
          <input {...register('featured')} type="checkbox" className="size-5 accent-accent" />
          Featured product
        </label>
      </div>
    </>
  );
}

function PriceField({ form: { register, control, formState } }: { form: ProductForm }) {
  const typed = Number(useWatch({ control, name: 'price' }));
  return (
    <Field
      {...register('price')}
      label="Price (USD)"
      type="number"
      inputMode="decimal"
      min={0.01}
      step={0.01}
      required
      hint={`${ringgit(Math.max(typed, 0))} at the shop’s rate`}
      error={formState.errors.price?.message}
    />
  );
}
