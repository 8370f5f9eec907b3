import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { codeOf, messageOf } from './api-client.ts';

interface CodeCheck<Answer> {
  check(code: string): Promise<Answer>;
  onChecked(answer: Answer): void;
  /** Called after every failed check, also after a wrong code. */
  onFailure?(failure: unknown): void;
  /** Shown when the server gives no message. */
  errorMessage: string | ((failure: unknown) => string);
}

/**
 * State of a code field that is checked by one call; a wrong code empties the field. Spread `field` into ui's OtpField.
 */
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
    /** The failure of the last check. */
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
