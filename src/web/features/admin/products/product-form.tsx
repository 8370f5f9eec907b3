import type { ComponentProps } from 'react';
import { type FieldPath, useWatch } from 'react-hook-form';
import { platforms, regions } from '../../../../shared/activation.ts';
import type { ProductKind } from '../../../../shared/catalog.ts';
import { categoryGroups, type Delivery } from '../../../../shared/catalog-choices.ts';
import { formatDollars } from '../../../../shared/currency.ts';
import { ownTimeZone } from '../../../../shared/format.ts';
import { createDigitalProductBody, createPhysicalProductBody } from '../../../../shared/products.ts';
import { maxLengthOf } from '../../../lib/form-fields.ts';
import { Callout } from '../../../ui/display.tsx';
import { Select } from '../../../ui/field.tsx';
import { Form, FormProblem } from '../../../ui/form-page.tsx';
import { Checkbox, Field, NUMBER, TextArea } from '../../../ui/input.tsx';
import { PicturesField } from './pictures-field.tsx';
import { BuyerFieldsField, PricePreview } from './product-form-parts.tsx';
import { type AdminProduct, canRunOut, hasLimit, isFile, type ProductValues } from './product-values.ts';
import { type ProductFormOptions, type ProductFormState, Remedy, useProductForm } from './use-product-form.tsx';

interface FieldSpec
  extends Pick<
    ComponentProps<'input'>,
    'type' | 'inputMode' | 'pattern' | 'required' | 'maxLength' | 'autoComplete' | 'className'
  > {
  name: FieldPath<ProductValues>;
  label: string;
  control?: 'area' | 'select' | 'image' | 'tick' | 'fields';
  half?: boolean;
  rows?: number;
  none?: string;
  options?: ComponentProps<typeof Select>['options'];
  optional?: boolean;
  /** A function receives the typed price in dollars. */
  hint?: string | ((price: number) => string | undefined);
  isShown?: (values: ProductValues) => boolean;
  onlyNew?: boolean;
}

const amount = { inputMode: 'decimal', pattern: NUMBER, autoComplete: 'off' } as const;
const count = { ...amount, inputMode: 'numeric' } as const;
const size = { half: true, optional: true, ...count } as const;
const price: FieldSpec = {
  ...amount,
  name: 'price',
  label: 'Price (USD)',
  half: true,
  required: true,
  hint: (typed) => (typed > 0 ? `${formatDollars(typed, 'MYR')} at the shop’s rate` : undefined),
};

const downloads = {
  half: true,
  optional: true,
  ...count,
  hint: 'Left empty, without a limit',
  isShown: isFile,
} as const;
const deliveryNames: Record<Delivery, string> = {
  unique: 'Items from stock: keys, licences, accounts',
  shared: 'One text or link for every buyer',
  file: 'A file to download',
  manual: 'By a person, after the payment',
};
const FIXED = 'It cannot be changed later';
const lowStock: FieldSpec = {
  ...count,
  name: 'lowStock',
  label: 'Running low at',
  required: true,
  hint: 'You are notified when this many or fewer are left',
};

const digital = createDigitalProductBody.shape;
const physical = createPhysicalProductBody.shape;
const upTo = (text: Parameters<typeof maxLengthOf>[0]) => ({ maxLength: maxLengthOf(text) });

const fields: Record<ProductKind, FieldSpec[]> = {
  digital: [
    { name: 'name', label: 'Name', required: true, ...upTo(digital.name) },
    { name: 'description', label: 'Description', control: 'area', required: true, ...upTo(digital.description) },
    price,
    { name: 'category', label: 'Category', half: true, control: 'select', options: categoryGroups },
    {
      name: 'delivery',
      label: 'How it is delivered',
      control: 'select',
      options: deliveryNames,
      onlyNew: true,
      hint: FIXED,
    },
    {
      ...count,
      name: 'stock',
      label: 'Limit of units',
      optional: true,
      isShown: hasLimit,
      hint: 'Left empty, there is no limit',
    },
    { ...lowStock, isShown: canRunOut },
    { name: 'platform', label: 'Platform', half: true, control: 'select', none: 'Any', options: platforms },
    { name: 'region', label: 'Region of activation', half: true, control: 'select', none: 'Any', options: regions },
    { name: 'image', label: 'Image URL', control: 'image', ...upTo(digital.image) },
    { name: 'buyerFields', label: 'Questions for the buyer', control: 'fields' },
    {
      name: 'deliveryInstructions',
      label: 'Delivery Instructions',
      control: 'area',
      rows: 3,
      optional: true,
      ...upTo(digital.deliveryInstructions),
      hint: 'Shown to buyers beside what they bought',
    },
    { name: 'downloadLimit', label: 'Downloads for each buyer', ...downloads },
    { name: 'downloadDays', label: 'Days to download', ...downloads },
    { name: 'warranty', label: 'Warranty (days)', half: true, ...count, hint: '0 for none' },
    { name: 'featured', label: 'Featured product', half: true, control: 'tick', className: 'sm:mt-6' },
    { name: 'isActive', label: 'On sale at once, not saved as a draft', control: 'tick', onlyNew: true },
  ],
  physical: [
    { name: 'name', label: 'Name', required: true, ...upTo(physical.name) },
    { name: 'brand', label: 'Brand', half: true, optional: true, ...upTo(physical.brand) },
    { name: 'category', label: 'Category', half: true, required: true, ...upTo(physical.category) },
    { name: 'description', label: 'Description', control: 'area', optional: true, ...upTo(physical.description) },
    { name: 'image', label: 'Image', control: 'image', ...upTo(physical.image) },
    price,
    { name: 'stock', label: 'Stock', half: true, required: true, ...count },
    lowStock,
    { name: 'weight', label: 'Weight (g)', ...size, hint: 'Packed, for the price of shipping' },
    { name: 'length', label: 'Length (mm)', ...size },
    { name: 'width', label: 'Width (mm)', ...size },
    { name: 'height', label: 'Height (mm)', ...size },
    { name: 'featured', label: 'Featured product', control: 'tick' },
    { name: 'isActive', label: 'Active', control: 'tick' },
  ],
};

const discountTypes = { none: 'None', percentage: 'Percentage', fixed: 'Fixed amount' };

const OWN_TIME = `In your own time (${ownTimeZone()})`;
const hasDiscount = ({ discount }: ProductValues) => discount.type !== 'none';
const hasFlashSale = ({ flashSale }: ProductValues) => flashSale.enabled;
const noDiscount = 'Left empty, there is no discount';
const noSale = 'Left empty, there is no flash sale';
const discountValue = { name: 'discount.value', half: true, ...amount, hint: noDiscount } as const;
const time = { half: true, optional: true, type: 'datetime-local', hint: OWN_TIME } as const;
const discountTime = { ...time, isShown: hasDiscount };
const ofSale = { half: true, isShown: hasFlashSale };
const saleTime = { ...time, isShown: hasFlashSale };
const saleStarts = { ...saleTime, hint: `${OWN_TIME}. Left empty, it starts now` };
const saleLimit = { ...ofSale, ...count, optional: true, hint: 'Left empty, it is unlimited' };

const offerFields: Record<string, FieldSpec[]> = {
  Discount: [
    { name: 'discount.type', label: 'Discount type', half: true, control: 'select', options: discountTypes },
    { ...discountValue, label: 'Discount (%)', isShown: ({ discount }) => discount.type === 'percentage' },
    { ...discountValue, label: 'Discount (USD)', isShown: ({ discount }) => discount.type === 'fixed' },
    { name: 'discount.startDate', label: 'Discount starts', ...discountTime },
    { name: 'discount.endDate', label: 'Discount ends', ...discountTime },
  ],
  'Flash sale': [
    { name: 'flashSale.enabled', label: 'Enable flash sale', control: 'tick' },
    { name: 'flashSale.price', label: 'Flash sale price (USD)', ...ofSale, ...amount, hint: noSale },
    { name: 'flashSale.limitedStock', label: 'Limited stock', ...saleLimit },
    { name: 'flashSale.startDate', label: 'Flash sale starts', ...saleStarts },
    { name: 'flashSale.endDate', label: 'Flash sale ends', ...saleTime },
  ],
};

interface ProductFormProps<Product extends AdminProduct>
  extends ProductFormOptions<Product>,
    Pick<ComponentProps<typeof Form>, 'action' | 'onCancel' | 'layout' | 'focused'> {}

export function ProductForm<Product extends AdminProduct>(props: ProductFormProps<Product>) {
  const { kind, product: edited, onSaved, action, ...layout } = props;
  const product = useProductForm({ kind, product: edited, onSaved });
  const { form, original, isSubmitting, isUploading, submit } = product;
  const values = useWatch({ control: form.control }) as ProductValues;
  // The title of a dialog is an h2, and that of a page an h1.
  const Heading = kind.name === 'digital' ? 'h3' : 'h2';
  const grid = (specs: FieldSpec[]) => (
    <div className="grid items-start gap-4 sm:grid-cols-2">
      {specs
        .filter(({ isShown, onlyNew }) => (isShown?.(values) ?? true) && !(onlyNew && original))
        .map((spec) => (
          <div key={spec.name} className={spec.half ? undefined : 'sm:col-span-2'}>
            <ProductField product={product} spec={spec} price={Number(values.price)} />
          </div>
        ))}
    </div>
  );
  return (
    <Form
      {...layout}
      action={isUploading ? 'Waiting for the picture...' : action}
      disabled={isUploading}
      isBusy={isSubmitting}
      onSubmit={submit}
      onDiscard={() => form.forget()}
      isFilled={form.formState.isDirty || isUploading}>
      {product.isRestored && (
        <Callout role="status" tone="info">
          What you typed before is still here, and not saved yet.
        </Callout>
      )}
      {grid(fields[kind.name])}
      {original && (
        <>
          {Object.entries(offerFields).map(([title, specs]) => (
            <section key={title} aria-label={title} className="grid gap-3 border-t border-line pt-4">
              <Heading className="text-base">{title}</Heading>
              {grid(specs)}
            </section>
          ))}
          <PricePreview values={values} original={original} heading={Heading} />
        </>
      )}
      <FormProblem>{product.problem?.message}</FormProblem>
      <Remedy product={product} />
    </Form>
  );
}

function ProductField({ product, spec, price }: { product: ProductFormState; spec: FieldSpec; price: number }) {
  const { register, formState, getFieldState } = product.form;
  const { control: shownAs, options = {}, hint, className, half: _, isShown: __, onlyNew: ___, ...attributes } = spec;
  const { name, label } = spec;
  if (shownAs === 'image') return <PicturesField product={product} label={label} maxLength={spec.maxLength} />;
  if (shownAs === 'fields') return <BuyerFieldsField form={product.form} label={label} />;
  const input = register(name);
  if (shownAs === 'tick') {
    return (
      <Checkbox {...input} className={className}>
        {label}
      </Checkbox>
    );
  }
  const error = getFieldState(name, formState).error?.message;
  const ownHint = typeof hint === 'function' ? hint(price) : hint;
  const field = { ...attributes, ...input, error, hint: product.savedMeanwhile(name, spec.none) ?? ownHint };
  if (shownAs === 'area') return <TextArea {...field} />;
  if (shownAs === 'select') return <Select {...field} options={options} />;
  return <Field {...field} />;
}
