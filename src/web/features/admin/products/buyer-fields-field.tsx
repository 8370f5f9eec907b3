import { Plus, Trash2 } from 'lucide-react';
import { type UseFormReturn, useFieldArray, useWatch } from 'react-hook-form';
import { MAX_BUYER_FIELDS } from '../../../../shared/buyer-fields.ts';
import { Button, IconButton } from '../../../ui/button.tsx';
import { Select } from '../../../ui/field.tsx';
import { Checkbox, Field } from '../../../ui/input.tsx';
import type { ProductValues, TypedField } from './product-values.ts';

const kinds: Record<TypedField['kind'], string> = { text: 'Text', choice: 'Choice' };
const newField: TypedField = { label: '', kind: 'text', required: true, choices: '' };

/** Edits the fields that the checkout asks the buyer of a product to fill in, such as a player's id. */
export function BuyerFieldsField({
  form,
  label,
}: {
  form: UseFormReturn<ProductValues, unknown, object>;
  label: string;
}) {
  const { control, register, formState } = form;
  const { fields, append, remove } = useFieldArray({ control, name: 'buyerFields' });
  const typed = useWatch({ control, name: 'buyerFields' });
  const errors = formState.errors.buyerFields;
  return (
    <fieldset className="grid gap-3 rounded-md border border-line p-4">
      <legend className="px-1 text-sm font-semibold">{label}</legend>
      <p className="text-sm text-muted">
        What the checkout asks, such as a player’s id, a server or a region. The answers are shown with the order.
      </p>
      {fields.map((field, place) => (
        <div
          key={field.id}
          className="grid grid-cols-[1fr_auto] items-start gap-3 border-t border-line pt-3 sm:grid-cols-[1fr_8rem_auto]">
          <div className="max-sm:col-span-2">
            <Field
              {...register(`buyerFields.${place}.label`)}
              label={`Label ${place + 1}`}
              required
              maxLength={60}
              error={errors?.[place]?.label?.message}
            />
          </div>
          <Select {...register(`buyerFields.${place}.kind`)} label="Kind" options={kinds} />
          <IconButton
            icon={Trash2}
            label={`Remove field ${place + 1}`}
            onClick={() => remove(place)}
            className="mt-6"
          />
          {typed[place]?.kind === 'choice' && (
            <div className="col-span-full">
              <Field
                {...register(`buyerFields.${place}.choices`)}
                label="Choices"
                required
                hint="With commas between them"
                error={errors?.[place]?.message ?? errors?.[place]?.choices?.message}
              />
            </div>
          )}
          <Checkbox {...register(`buyerFields.${place}.required`)} className="col-span-full">
            Must be filled in
          </Checkbox>
        </div>
      ))}
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
