import { standardSchemaResolver } from '@hookform/resolvers/standard-schema';
import { useEffect, useState } from 'react';
import {
  type DefaultValues,
  type FieldPath,
  type FieldValues,
  type UseFormProps,
  type UseFormRegisterReturn,
  type UseFormReturn,
  useForm,
} from 'react-hook-form';
import type * as z from 'zod/mini';
import { CallError, messageOf } from './api-client.ts';
import { storage } from './storage.ts';

interface FormOptions<Values extends FieldValues> {
  schema: z.core.$ZodType<Values, Values>;
  defaultValues: DefaultValues<Values>;
  /** Called with valid values, once at a time. */
  send(values: Values): Promise<unknown>;
  /** Shown when `send` fails and the server gives no message. */
  errorMessage: string;
  /** Maps the field that the server rejected to the field that shows the error; if undefined, the form shows it. */
  fieldFor?(rejected: string | undefined): FieldPath<Values> | undefined;
  onFailure?(failure: unknown): void;
  /** When a field is first validated: when it loses the focus, or at the first submit. */
  mode?: 'onTouched' | 'onSubmit';
  /** Name for `useKeptForm`. */
  keepAs?: string;
}

interface SendForm<Values extends FieldValues> extends UseFormReturn<Values> {
  fieldOf(name: FieldPath<Values>): UseFormRegisterReturn & { error: string | undefined };
  form: { onSubmit(): void; isBusy: boolean; problem: string | undefined };
}

/** A form with a schema that is sent by one call. Spread `form` into ui's Form and `fieldOf(name)` into a Field. */
export function useSendForm<Values extends FieldValues>(options: FormOptions<Values>): SendForm<Values> {
  const { schema, defaultValues, send, errorMessage, fieldFor, onFailure, mode = 'onTouched', keepAs } = options;
  const methods = useKeptForm<Values>(keepAs, { resolver: standardSchemaResolver(schema), mode, defaultValues });
  const { register, handleSubmit, formState, getFieldState, setError } = methods;
  const submit = handleSubmit(async (values) => {
    try {
      await send(values);
    } catch (failure) {
      const field = fieldFor?.(failure instanceof CallError ? failure.field : undefined);
      setError(field ?? 'root', { message: messageOf(failure, errorMessage) }, { shouldFocus: true });
      onFailure?.(failure);
    }
  });
  return {
    ...methods,
    fieldOf: (name: FieldPath<Values>) => ({ ...register(name), error: getFieldState(name, formState).error?.message }),
    form: { onSubmit: () => void submit(), isBusy: formState.isSubmitting, problem: formState.errors.root?.message },
  };
}

const kept = new Map<string, unknown>();

/**
 * react-hook-form's useForm. If the session ends, the typed values stay in memory and fill the form when it is opened
 * again. `keepAs` names the form and its user, so that another user who signs in does not get the values; undefined
 * keeps nothing.
 */
export function useKeptForm<Values extends FieldValues, Sent = Values>(
  keepAs: string | undefined,
  options: UseFormProps<Values, unknown, Sent>,
): UseFormReturn<Values, unknown, Sent> {
  const [typed] = useState(() => kept.get(keepAs ?? '') as Values | undefined);
  const form = useForm({ ...options, ...(typed && { values: typed, resetOptions: { keepDefaultValues: true } }) });
  const untouched = JSON.stringify(form.formState.defaultValues);
  const valuesNow = form.getValues;
  useEffect(() => {
    if (keepAs === undefined) return;
    return () => {
      kept.delete(keepAs);
      const isTyped = JSON.stringify(valuesNow()) !== untouched;
      if (isTyped && storage.token.read() === null) kept.set(keepAs, valuesNow());
    };
  }, [keepAs, untouched, valuesNow]);
  return form;
}
