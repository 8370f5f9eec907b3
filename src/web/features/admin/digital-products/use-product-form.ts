import { useRef, useState } from 'react';
import { type FieldPath, get, useForm } from 'react-hook-form';
import type * as z from 'zod/mini';
import { CallError, messageOf } from '../../../lib/api-client.ts';
import { isMissing, type ProductValues, productResolver } from './product-form.ts';

interface ProductFormOptions<Body extends object> {
  schema: z.ZodMiniType<Body>;
  required: Parameters<typeof productResolver>[1];
  /** Said when one of them is empty. */
  whenMissing: string;
  defaultValues: ProductValues;
  toBody(values: ProductValues): object;
  save(body: Body): Promise<void>;
  /** Said when the shop refuses without words. */
  fallback: string;
}

/** A product's form, and what the shop says to it as a whole. */
export function useProductForm<Body extends object>(options: ProductFormOptions<Body>) {
  const { schema, required, toBody, defaultValues, save, whenMissing, fallback } = options;
  const [problem, setProblem] = useState<{ message: string; code?: CallError['code'] | undefined } | null>(
    null,
  );
  // A name that another product has, and that is wanted all the same.
  const allowedName = useRef<string>(undefined);
  const form = useForm<ProductValues, unknown, Body>({
    resolver: productResolver(schema, required, (values) => ({
      ...toBody(values),
      onSameName: values.name === allowedName.current ? 'allow' : 'ask',
    })),
    defaultValues,
  });

  // As it was at the press, not at what comes of it.
  const { isSubmitting } = form.formState;

  function tell(failure: unknown) {
    const message = messageOf(failure, fallback);
    const field = failure instanceof CallError ? failure.field : undefined;
    if (field !== undefined && get(form.getValues(), field) !== undefined) {
      form.setError(field as FieldPath<ProductValues>, { message }, { shouldFocus: true });
    } else {
      setProblem({ message, code: failure instanceof CallError ? failure.code : undefined });
    }
  }

  const submit = form.handleSubmit(
    async (body) => {
      if (isSubmitting) return;
      setProblem(null);
      await save(body).catch(tell);
    },
    (errors) => setProblem(isMissing(errors) ? { message: whenMissing } : null),
  );
  return {
    form,
    problem,
    forgetProblem: () => setProblem(null),
    submit: () => void submit(),
    insistOnName() {
      allowedName.current = form.getValues('name');
      void submit();
    },
  };
}
