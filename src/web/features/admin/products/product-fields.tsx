import type { ComponentProps, ReactNode } from 'react';
import { Controller, type FieldPath, useWatch } from 'react-hook-form';
import { categoryGroups } from '../../../../shared/catalog-choices.ts';
import { createDigitalProductBody, createPhysicalProductBody } from '../../../../shared/products.ts';
import type { ProductKind } from '../../../../shared/statistics.ts';
import { maxLengthOf } from '../../../lib/form-fields.ts';
import { classNames } from '../../../ui/class-names.ts';
import { Field, Select } from '../../../ui/field.tsx';
import { TextArea } from '../../../ui/text-fields.tsx';
import { takesFocus } from '../action-form.tsx';
import { ringgit } from '../figures.tsx';
import { ImageField } from './image-field.tsx';
import type { ProductValues } from './product-values.ts';
import type { ProductForm } from './use-product-form.tsx';

/** One control of the form, with the attributes of its input. */
export interface FieldSpec
  extends Pick<
    ComponentProps<'input'>,
    'type' | 'inputMode' | 'min' | 'max' | 'step' | 'required' | 'maxLength' | 'autoComplete' | 'className'
  > {
  name: FieldPath<ProductValues>;
  label: string;
  control?: 'area' | 'select' | 'image' | 'tick';
  rows?: number;
  options?: ReactNode;
  optional?: boolean;
  /** `price` is what is typed as the price, in dollars. */
  hint?: string | ((price: number) => string | undefined);
  takesFocus?: boolean;
}

const digital = createDigitalProductBody.shape;
const physical = createPhysicalProductBody.shape;

export const amount = { type: 'number', inputMode: 'decimal', min: 0, step: 0.01 } as const;
export const count = { type: 'number', inputMode: 'numeric', min: 0, step: 1 } as const;
const inRinggit = (price: number) => `${ringgit(price)} at the shop’s rate`;

const categoryOptions = Object.entries(categoryGroups).map(([group, names]) => (
  <optgroup key={group} label={group}>
    {names.map((category) => (
      <option key={category}>{category}</option>
    ))}
  </optgroup>
));

/** Row by row; the fields of a row are side by side where there is room. */
const rows: Record<ProductKind, FieldSpec[][]> = {
  digital: [
    [{ name: 'name', label: 'Name', required: true, maxLength: maxLengthOf(digital.name), takesFocus: true }],
    [
      {
        name: 'description',
        label: 'Description',
        control: 'area',
        required: true,
        maxLength: maxLengthOf(digital.description),
      },
    ],
    [
      {
        name: 'price',
        label: 'Price (USD)',
        ...amount,
        min: 0.01,
        required: true,
        hint: (price) => inRinggit(Math.max(price, 0)),
      },
      { name: 'category', label: 'Category', control: 'select', options: categoryOptions },
    ],
    [{ name: 'image', label: 'Image URL', control: 'image', maxLength: maxLengthOf(digital.image) }],
    [
      {
        name: 'deliveryInstructions',
        label: 'Delivery Instructions',
        control: 'area',
        rows: 3,
        optional: true,
        maxLength: maxLengthOf(digital.deliveryInstructions),
        hint: 'Shown to buyers beside what they bought',
      },
    ],
    [
      { name: 'warranty', label: 'Warranty (days)', ...count, max: 3650, hint: '0 for none' },
      { name: 'featured', label: 'Featured product', control: 'tick', className: 'sm:mt-6' },
    ],
  ],
  physical: [
    [{ name: 'name', label: 'Name', required: true, maxLength: maxLengthOf(physical.name) }],
    [
      { name: 'brand', label: 'Brand', optional: true, maxLength: maxLengthOf(physical.brand) },
      { name: 'category', label: 'Category', required: true, maxLength: maxLengthOf(physical.category) },
    ],
    [
      {
        name: 'description',
        label: 'Description',
        control: 'area',
        optional: true,
        maxLength: maxLengthOf(physical.description),
      },
    ],
    [{ name: 'image', label: 'Image', control: 'image', maxLength: maxLengthOf(physical.image) }],
    [
      {
        name: 'price',
        label: 'Price (USD)',
        inputMode: 'decimal',
        autoComplete: 'off',
        required: true,
        hint: (price) => (price > 0 ? inRinggit(price) : undefined),
      },
      { name: 'stock', label: 'Stock', inputMode: 'numeric', autoComplete: 'off', required: true },
    ],
    [{ name: 'isActive', label: 'Active', control: 'tick' }],
  ],
};

/** The fields that are asked for when a product is created and when it is edited. */
export function ProductFields({ product }: { product: ProductForm }) {
  return rows[product.kind.name].map((row) => {
    const fields = row.map((spec) => <ProductField key={spec.name} product={product} spec={spec} />);
    if (row.length === 1) return fields;
    const gap = product.kind.name === 'digital' ? 'gap-4' : 'gap-5';
    return (
      <div key={row[0]?.name} className={classNames('grid items-start sm:grid-cols-2', gap)}>
        {fields}
      </div>
    );
  });
}

interface ProductFieldProps {
  product: ProductForm;
  spec: FieldSpec;
}

export function ProductField({ product, spec }: ProductFieldProps) {
  const { register, control, formState, getFieldState } = product.form;
  const { control: shownAs, options, takesFocus: isFirst, hint, className, ...attributes } = spec;
  const { name, label } = spec;
  const price = Number(useWatch({ control, name: 'price' }));
  const input = register(name);
  if (shownAs === 'tick') {
    return (
      <label className={classNames('flex min-h-11 items-center gap-3', className)}>
        <input {...input} type="checkbox" className="size-5 accent-accent" />
        {label}
      </label>
    );
  }
  const error = getFieldState(name, formState).error?.message;
  if (shownAs === 'image') {
    return (
      <Controller
        control={control}
        name="image"
        render={({ field }) => <ImageField {...field} label={label} maxLength={spec.maxLength} error={error} />}
      />
    );
  }
  const ownHint = typeof hint === 'function' ? hint(price) : hint;
  const field = { ...attributes, ...input, error, hint: product.savedMeanwhile(name) ?? ownHint };
  if (shownAs === 'area') return <TextArea {...field} />;
  if (shownAs === 'select') return <Select {...field}>{options}</Select>;
  return (
    <Field
      {...field}
      ref={(element) => {
        if (isFirst) takesFocus(element);
        input.ref(element);
      }}
    />
  );
}
