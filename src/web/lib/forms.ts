import { standardSchemaResolver } from '@hookform/resolvers/standard-schema';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
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
import { CallError, codeOf, messageOf } from './api-client.ts';
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
  onFailure?(failure: unknown, message: string): void;
  /** When a field is first validated: when it loses the focus, or at the first submit. */
  mode?: 'onTouched' | 'onSubmit';
  keepAs?: string;
  /** Whether typed values are kept whenever the form is left, until they are sent. */
  keepsDraft?: boolean;
}

interface SendForm<Values extends FieldValues> extends KeptForm<Values, Values> {
  fieldOf(name: FieldPath<Values>): UseFormRegisterReturn & { error: string | undefined };
  form: { onSubmit(): void; isBusy: boolean; problem: string | undefined };
}

/** A form with a schema that is sent by one call. Spread `form` into ui's Form and `fieldOf(name)` into a Field. */
export function useSendForm<Values extends FieldValues>(options: FormOptions<Values>): SendForm<Values> {
  const { schema, defaultValues, send, errorMessage, fieldFor, onFailure, mode = 'onTouched' } = options;
  const { keepAs, keepsDraft } = options;
  const resolver = standardSchemaResolver(schema);
  const methods = useKeptForm<Values>(keepAs, { resolver, mode, defaultValues }, keepsDraft);
  const { register, handleSubmit, formState, getFieldState, setError } = methods;
  const submit = handleSubmit(async (values) => {
    const sent = methods.getValues();
    try {
      await send(values);
      if (keepsDraft) methods.forget(sent);
    } catch (failure) {
      const field = fieldFor?.(failure instanceof CallError ? failure.field : undefined);
      const message = messageOf(failure, errorMessage);
      setError(field ?? 'root', { message }, { shouldFocus: true });
      onFailure?.(failure, message);
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
 * If the session ends, keeps the typed value in memory until the form is opened again. `typedNow` returns the value, or
 * undefined if the user has typed nothing. `keepAs` names the form and its user, so that another user who signs in does not
 * get the value; undefined keeps nothing. A draft is kept whenever the form is closed. The returned function forgets
 * what is typed until now, also if the form has closed.
 */
function useKeeping(keepAs: string | undefined, typedNow: () => unknown, isDraft = false): () => void {
  const latest = useRef(typedNow);
  useEffect(() => {
    latest.current = typedNow;
  });
  useEffect(() => {
    if (keepAs === undefined) return;
    kept.delete(keepAs);
    return () => {
      const typed = latest.current();
      if (typed !== undefined && (isDraft || storage.token.read() === null)) kept.set(keepAs, typed);
    };
  }, [keepAs, isDraft]);
  return () => {
    latest.current = () => undefined;
    if (keepAs !== undefined) kept.delete(keepAs);
  };
}

export interface KeptForm<Values extends FieldValues, Sent> extends UseFormReturn<Values, unknown, Sent> {
  /** Counts its values, or these, as untouched, because they are sent or discarded; also if the form has closed. */
  forget(values?: Values): void;
}

/**
 * react-hook-form's useForm, with the values that `useKeeping` has kept. They come back with the default values of then:
 * only what was edited counts as edited if the defaults have changed since.
 */
export function useKeptForm<Values extends FieldValues, Sent = Values>(
  keepAs: string | undefined,
  options: UseFormProps<Values, unknown, Sent>,
  isDraft = false,
): KeptForm<Values, Sent> {
  type Typed = { values: Values; defaultValues: DefaultValues<Values> };
  const [typed] = useState(() => kept.get(keepAs ?? '') as Typed | undefined);
  const form = useForm({ ...options, ...(typed && { ...typed, resetOptions: { keepDefaultValues: true } }) });
  const defaultValues = form.formState.defaultValues as DefaultValues<Values>;
  const typedNow = () => {
    const values = form.getValues();
    return JSON.stringify(values) === JSON.stringify(defaultValues) ? undefined : { values, defaultValues };
  };
  const forgetTyped = useKeeping(keepAs, typedNow, isDraft);
  const forget = (values = form.getValues()) => {
    form.reset(values, { keepValues: true, keepDefaultValues: false });
    forgetTyped();
  };
  return { ...form, forget };
}

/** useState for what the values of a form are an edit of: values that are kept under `keepAs` come back with it. */
export function useKeptBase<T>(keepAs: string | undefined, base: T, isDraft: boolean): [T, (base: T) => void] {
  const name = `base of ${keepAs}`;
  const [current, setCurrent] = useState(() => (isKept(keepAs) ? (kept.get(name) as T) : base));
  useKeeping(name, () => current, isDraft);
  return [current, setCurrent];
}

/** Whether a form was kept under this name, and not opened again yet. */
export const isKept = (keepAs: string | undefined): boolean => keepAs !== undefined && kept.has(keepAs);

/** useState, with the value that `useKeeping` has kept, and a function that forgets it. */
export function useKeptState<T>(
  keepAs: string | undefined,
  untouched: T,
  isDraft = false,
): [T, (value: T) => void, () => void] {
  const [value, setValue] = useState(() => (kept.get(keepAs ?? '') as T | undefined) ?? untouched);
  const typedNow = () => (JSON.stringify(value) === JSON.stringify(untouched) ? undefined : value);
  return [value, setValue, useKeeping(keepAs, typedNow, isDraft)];
}

interface CodeCheck<Answer> {
  check(code: string): Promise<Answer>;
  onChecked(answer: Answer): void;
  /** Called after every failed check, also after a wrong code. */
  onFailure?(failure: unknown): void;
  errorMessage: string | ((failure: unknown) => string);
}

/** State of a code that one call checks; a wrong code empties the field. Spread `field` into ui's OtpField. */
export function useCodeCheck<Answer>({ check, onChecked, onFailure, errorMessage }: CodeCheck<Answer>) {
  const [code, setCode] = useState('');
  const [refusals, setRefusals] = useState(0);

  function refuse() {
    setCode('');
    setRefusals((count) => count + 1);
  }

  const checking = useMutation({
    mutationFn: check,
    onSuccess: onChecked,
    onError: (failure) => {
      if (codeOf(failure) === 'INVALID_CODE') refuse();
      onFailure?.(failure);
    },
    gcTime: 0,
  });
  const verify = (typed: string) => {
    if (!checking.isPending) checking.mutate(typed);
  };
  const isChecking = checking.isPending;
  const ownMessage = typeof errorMessage === 'string' ? errorMessage : errorMessage(checking.error);
  const error = checking.error ? messageOf(checking.error, ownMessage) : undefined;
  return {
    code,
    failure: checking.error,
    refuse,
    clear() {
      setCode('');
      checking.reset();
    },
    field: { value: code, onChange: setCode, refusals, isChecking, error, onComplete: verify },
    form: { onSubmit: () => verify(code.trim()), isBusy: isChecking },
  };
}
