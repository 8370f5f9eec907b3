import { useEffect, useRef, useState } from 'react';
import { type FieldValues, type UseFormProps, type UseFormReturn, useForm } from 'react-hook-form';
import { storage } from './storage.ts';

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
    kept.delete(keepAs);
    return () => {
      const isTyped = JSON.stringify(valuesNow()) !== untouched;
      if (isTyped && storage.token.read() === null) kept.set(keepAs, valuesNow());
    };
  }, [keepAs, untouched, valuesNow]);
  return form;
}

/** Whether a form was kept under this name, and not opened again yet. */
export const isKept = (keepAs: string): boolean => kept.has(keepAs);

/** useState for a single text, which is kept like the values of `useKeptForm`. */
export function useKeptText(keepAs: string | undefined, untouched = ''): [string, (text: string) => void] {
  const [text, setText] = useState(() => (kept.get(keepAs ?? '') as string | undefined) ?? untouched);
  const textNow = useRef(text);
  useEffect(() => {
    textNow.current = text;
  }, [text]);
  useEffect(() => {
    if (keepAs === undefined) return;
    kept.delete(keepAs);
    return () => {
      if (textNow.current !== untouched && storage.token.read() === null) kept.set(keepAs, textNow.current);
    };
  }, [keepAs, untouched]);
  return [text, setText];
}
