import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { messageOf } from '../lib/api-client.ts';
import { useToasts } from './toasts.tsx';

/** Returns a ref that tells work that outlives its screen or dialog, such as a late response, whether that is still shown. */
export function useIsShown() {
  const isShown = useRef(false);
  useEffect(() => {
    isShown.current = true;
    return () => {
      isShown.current = false;
    };
  }, []);
  return isShown;
}

/**
 * For the form of a dialog, which may be closed before its call is answered. `showLate` then shows why the call failed, in a
 * toast; while the form is shown, the form does that itself. A reload of the page's data may remove the form, so pass it, too.
 */
export function useLateAnswer() {
  const isShown = useIsShown();
  const { show } = useToasts();
  function showLate(problem: string, reloaded?: Promise<void>): void {
    if (!isShown.current) show({ type: 'error', message: problem });
    else void reloaded?.then(() => showLate(problem));
  }
  return { isShown, showLate };
}

interface DialogCall {
  send(): Promise<unknown>;
  /** Shown when `send` fails and the server gives no message. */
  errorMessage: string;
  /** Called after a success, unless the dialog was closed meanwhile. */
  onDone(): void;
  onFailure?(): void;
}

/** For a dialog whose form has nothing to validate and is sent by one call. Returns props of ui's Form. */
export function useDialogCall({ send, errorMessage, onDone, onFailure }: DialogCall) {
  const { isShown, showLate } = useLateAnswer();
  const { mutate, isPending, error } = useMutation({
    mutationFn: send,
    onSuccess: () => {
      if (isShown.current) onDone();
    },
    onError: (failure) => {
      showLate(messageOf(failure, errorMessage));
      onFailure?.();
    },
  });
  return { onSubmit: () => mutate(), isBusy: isPending, problem: error && messageOf(error, errorMessage) };
}
