import { Controller } from 'react-hook-form';
import { Link } from 'react-router';
import { createPhysicalProductBody, type PhysicalProduct } from '../../../../shared/admin-catalog.ts';
import { maxLengthOf } from '../../../lib/form-fields.ts';
import { Button, buttonClass } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { Field } from '../../../ui/field.tsx';
import { FormProblem } from '../../../ui/form-page.tsx';
import { TextArea } from '../../../ui/text-area.tsx';
import { UseNameAgain } from '../action-form.tsx';
import { ringgit } from '../figures.tsx';
import { ImageField } from '../images/image-field.tsx';
import { type ProductForm as Form, priceOf } from './product-schema.ts';
import { useProductForm } from './use-product-form.ts';

const limits = createPhysicalProductBody.shape;

interface ProductFormProps {
  /** Null for a new one. */
  product: PhysicalProduct | null;
  /** Where Cancel leads. */
  back: string;
  onSaved(saved: PhysicalProduct): void;
}

export function ProductForm({ product, back, onSaved }: ProductFormProps) {
  const { form, submit, isSubmitting, problem, asksForName, insistOnName, meanwhile } = useProductForm(
    product,
    onSaved,
  );
  const { register, control, formState, watch } = form;
  const price = priceOf(watch('price'));

  const field = (name: Exclude<keyof Form, 'isActive' | 'image'>, hint?: string) => {
    const now = meanwhile[name];
    const said = now !== undefined && formState.dirtyFields[name] ? `Saved meanwhile: ${now}` : hint;
    return {
      ...register(name),
      error: formState.errors[name]?.message,
      ...(said !== undefined && { hint: said }),
    };
  };

  return (
    <Card className="w-full max-w-reading p-5 sm:p-8">
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
        className="grid gap-5"
      >
        <Field label="Name" required maxLength={maxLengthOf(limits.name)} {...field('name')} />
        <div className="grid items-start gap-5 sm:grid-cols-2">
          <Field label="Brand" optional maxLength={maxLengthOf(limits.brand)} {...field('brand')} />
          <Field label="Category" required maxLength={maxLengthOf(limits.category)} {...field('category')} />
        </div>
        <TextArea
          label="Description"
          optional
          maxLength={maxLengthOf(limits.description)}
          {...field('description')}
        />
        <Controller
          name="image"
          control={control}
          render={({ field: image, fieldState }) => (
            <ImageField {...image} maxLength={maxLengthOf(limits.image)} error={fieldState.error?.message} />
          )}
        />
        <div className="grid items-start gap-5 sm:grid-cols-2">
          <Field
            label="Price (USD)"
            required
            inputMode="decimal"
            autoComplete="off"
            {...field('price', price && price > 0 ? `${ringgit(price)} at the shop’s rate` : undefined)}
          />
          <Field label="Stock" required inputMode="numeric" autoComplete="off" {...field('stock')} />
        </div>
        <label className="flex min-h-11 items-center gap-3">
          <input {...register('isActive')} type="checkbox" className="size-5 accent-accent" />
          Active
        </label>
        <FormProblem>{problem}</FormProblem>
        {asksForName && <UseNameAgain onClick={insistOnName} />}
        <div className="flex flex-wrap gap-3">
          <Button type="submit" loading={isSubmitting}>
            {product ? 'Save Changes' : 'Add Product'}
          </Button>
          <Link to={back} className={buttonClass('quiet')}>
            Cancel
          </Link>
        </div>
      </form>
    </Card>
  );
}
