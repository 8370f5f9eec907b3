import { useEffect, useState } from 'react';
import { storage } from './storage.ts';

const kept = new Map<string, unknown>();

/**
 * If the session ends, keeps in memory what was typed into a form, and removes it once the form is opened again. `keepAs` names
 * the form and its user. `useTypedBefore` gives it back: nobody else who signs in meanwhile gets it.
 */
export function useKeptInput(keepAs: string | undefined, valuesNow: () => unknown, defaultValues: unknown): void {
  const untouched = JSON.stringify(defaultValues);
  useEffect(() => {
    if (keepAs === undefined) return;
    return () => {
      kept.delete(keepAs);
      const isTyped = JSON.stringify(valuesNow()) !== untouched;
      if (isTyped && storage.token.read() === null) kept.set(keepAs, valuesNow());
    };
  }, [keepAs, untouched, valuesNow]);
}

/** Returns the options of react-hook-form's useForm that fill the form with what was typed before the session ended. */
export function useTypedBefore<Values>(keepAs: string | undefined) {
  const [values] = useState(() => kept.get(keepAs ?? '') as Values | undefined);
  return values && { values, resetOptions: { keepDefaultValues: true } };
}
