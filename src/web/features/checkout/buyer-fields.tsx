import { useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { type BuyerAnswer, type BuyerField, type DigitalProduct, MAX_ANSWER_LENGTH } from '../../../shared/catalog.ts';
import { call } from '../../lib/api-client.ts';
import { isSoldOut, type PricedLine } from '../../state/cart-lines.ts';
import { Card } from '../../ui/display.tsx';
import { FieldError, Select } from '../../ui/field.tsx';
import { FormProblem } from '../../ui/form-page.tsx';
import { Checkbox, Field } from '../../ui/input.tsx';
import { TryAgain } from '../../ui/loading.tsx';
import type { TypedAnswers } from './contact-form.tsx';

/**
 * Loads the buyer fields, regions and platforms of the products in the cart; the buyer answers and confirms them before
 * Pay. The server checks the answers against the current product. `readDraft` returns the answers from before a reload.
 */
export function useBuyerFields(lines: readonly PricedLine[], readDraft: () => TypedAnswers | undefined) {
  const [typed, setTyped] = useState<TypedAnswers>(() => readDraft() ?? {});
  const typedNow = useRef(typed);
  const [confirmed, setConfirmed] = useState<string[]>([]);
  const [isChecked, setIsChecked] = useState(false);
  const digital = lines.filter((line) => line.product.kind === 'digital' && !isSoldOut(line));
  const ids = digital.map(({ product }) => product._id).toSorted();
  const { data, isLoadingError, isFetching, refetch } = useQuery({
    queryKey: ['buyer-fields', ...ids],
    queryFn: async () => (await call('GET /digital-products', { query: { ids: ids.join() } })).data,
    enabled: ids.length > 0,
  });
  const products = data ?? [];
  const asking = products.filter(
    ({ _id, buyerFields, region, platform }) => ids.includes(_id) && (buyerFields.length > 0 || region || platform),
  );
  const answerTo = (product: string, { label }: BuyerField) => typed[product]?.[label]?.trim() ?? '';
  const isComplete = asking.every(({ _id, buyerFields }) =>
    buyerFields.every((field) => !field.required || answerTo(_id, field) !== ''),
  );
  // A product may change while the checkout is open, and another tab may change the cart.
  const contents = asking.map(({ _id, buyerFields, region, platform }) =>
    JSON.stringify([_id, region, platform, buyerFields.map((field) => [field, answerTo(_id, field)])]),
  );
  const isConfirmed = contents.every((content) => confirmed.includes(content));
  return {
    asking,
    /** The order cannot be paid before, because its required answers are not known. */
    isLoaded: ids.length === 0 || data !== undefined,
    isLoadingError,
    isFetching,
    refetch,
    isManual: (id: string) => products.some(({ _id, delivery }) => _id === id && delivery === 'manual'),
    isChecked,
    /** Whether the buyer has confirmed what is shown now, for every product. */
    isConfirmed,
    setIsConfirmed: (isRight: boolean) => setConfirmed(isRight ? contents : []),
    answerTo,
    type: (product: string, label: string, value: string) => {
      const before = typedNow.current;
      typedNow.current = { ...before, [product]: { ...before[product], [label]: value } };
      setTyped(typedNow.current);
    },
    /** Returns all typed values, including those since the last render. */
    typedNow: () => typedNow.current,
    /** Returns whether the order can be paid. From then on, incomplete fields show their errors. */
    check() {
      // Renders synchronously, because the caller then focuses the first field that is marked invalid.
      flushSync(() => setIsChecked(true));
      return asking.length === 0 || (isComplete && isConfirmed);
    },
    answers: Object.fromEntries(
      asking.map(({ _id, buyerFields }): [string, BuyerAnswer[]] => [
        _id,
        buyerFields
          .map((field) => ({ label: field.label, value: answerTo(_id, field) }))
          .filter(({ value }) => value !== ''),
      ]),
    ),
  };
}

type BuyerFieldsState = ReturnType<typeof useBuyerFields>;

interface BuyerFieldsProps {
  fields: BuyerFieldsState;
  readOnly: boolean;
}

export function BuyerFields({ fields, readOnly }: BuyerFieldsProps) {
  const { asking, isChecked, isConfirmed, setIsConfirmed } = fields;
  if (fields.isLoadingError) {
    return (
      <Card className="grid gap-5 p-5 sm:p-6">
        <h2 className="text-lg">For your delivery</h2>
        <FormProblem>What your delivery needs did not load.</FormProblem>
        <TryAgain query={fields} variant="secondary" />
      </Card>
    );
  }
  if (asking.length === 0) return null;
  const lacksConsent = isChecked && !isConfirmed;
  return (
    <Card className="grid gap-5 p-5 sm:p-6">
      <h2 className="text-lg">For your delivery</h2>
      {asking.map((product) => (
        <ProductFields key={product._id} product={product} fields={fields} readOnly={readOnly} />
      ))}
      <div className="grid gap-1.5">
        <Checkbox
          checked={isConfirmed}
          disabled={readOnly}
          aria-invalid={lacksConsent || undefined}
          aria-describedby={lacksConsent ? 'consent-error' : undefined}
          onChange={({ target }) => setIsConfirmed(target.checked)}>
          I have checked this, and it is right for me
        </Checkbox>
        {lacksConsent && <FieldError id="consent">Please check it and confirm</FieldError>}
      </div>
    </Card>
  );
}

function ProductFields({ product, fields, readOnly }: BuyerFieldsProps & { product: DigitalProduct }) {
  const { _id, name, platform, region, buyerFields } = product;
  const { isChecked, answerTo, type } = fields;
  return (
    <fieldset className="grid gap-3 wrap-anywhere">
      <legend className="pb-2 font-semibold">{name}</legend>
      {(platform || region) && (
        <p className="text-sm text-muted">
          {platform && `For ${platform}. `}
          {region && `Can be activated in: ${region}.`}
        </p>
      )}
      {buyerFields.map((field) => {
        const { label, kind, required, choices } = field;
        const value = answerTo(_id, field);
        const error = isChecked && required && value === '' ? `Please fill in “${label}”` : undefined;
        const control = { label, error, disabled: readOnly, required };
        return kind === 'choice' ? (
          <Select
            key={label}
            {...control}
            none="Please choose"
            options={choices}
            value={value}
            onChange={({ target }) => type(_id, label, target.value)}
          />
        ) : (
          <Field
            key={label}
            {...control}
            optional={!required}
            maxLength={MAX_ANSWER_LENGTH}
            autoComplete="off"
            defaultValue={value}
            onChange={({ target }) => type(_id, label, target.value)}
          />
        );
      })}
    </fieldset>
  );
}
