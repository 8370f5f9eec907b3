import { useEffect, useRef, useState } from 'react';
import { type FieldValues, type UseFormProps, type UseFormReturn, useForm } from 'react-hook-form';
import { storage } from './storage.ts';

const kept = new Map<string, unknown>();

/**
 * If the session ends, keeps the typed value in memory until the form is opened again. `typedNow` returns the value, or
 * undefined if the user has typed nothing. `keepAs` names the form and its user, so that another user who signs in does not
 * get the value; undefined keeps nothing.
 */
function useKeeping(keepAs: string | undefined, typedNow: () => unknown): void {
  const latest = useRef(typedNow);
  useEffect(() => {
    latest.current = typedNow;
  });
  useEffect(() => {
    if (keepAs === undefined) return;
    kept.delete(keepAs);
    return () => {
      const typed = latest.current();
      if (typed !== undefined && storage.token.read() === null) kept.set(keepAs, typed);
    };
  }, [keepAs]);
}

/** react-hook-form's useForm, with the values that `useKeeping` has kept. */
export function useKeptForm<Values extends FieldValues, Sent = Values>(
  keepAs: string | undefined,
  options: UseFormProps<Values, unknown, Sent>,
): UseFormReturn<Values, unknown, Sent> {
  const [typed] = useState(() => kept.get(keepAs ?? '') as Values | undefined);
  const form = useForm({ ...options, ...(typed && { values: typed, resetOptions: { keepDefaultValues: true } }) });
  const untouched = JSON.stringify(form.formState.defaultValues);
  useKeeping(keepAs, () => {
    const values = form.getValues();
    return JSON.stringify(values) === untouched ? undefined : values;
  });
  return form;
}

/** Whether a form was kept under this name, and not opened again yet. */
export const isKept = (keepAs: string): boolean => kept.has(keepAs);

/** useState for a single text, with the text that `useKeeping` has kept. */
export function useKeptText(keepAs: string | undefined, untouched = ''): [string, (text: string) => void] {
  const [text, setText] = useState(() => (kept.get(keepAs ?? '') as string | undefined) ?? untouched);
  useKeeping(keepAs, () => (text === untouched ? undefined : text));
  return [text, setText];
}
