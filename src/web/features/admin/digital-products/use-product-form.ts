import { useState } from 'react';
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
  const [problem, setProblem] = useState<{ message: string; isConflict: boolean } | null>(null);
  const say = (message: string, isConflict = false) => setProblem({ message, isConflict });
  const form = useForm<ProductValues, unknown, Body>({
    resolver: productResolver(schema, required, toBody),
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
      say(message, failure instanceof CallError && failure.code === 'EDIT_CONFLICT');
    }
  }

  const submit = form.handleSubmit(
    async (body) => {
      if (isSubmitting) return;
      setProblem(null);
      await save(body).catch(tell);
    },
    (errors) => (isMissing(errors) ? say(whenMissing) : setProblem(null)),
  );
  return { form, problem, forgetProblem: () => setProblem(null), submit: () => void submit() };
}
