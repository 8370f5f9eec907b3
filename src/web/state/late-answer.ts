import { useMutation } from '@tanstack/react-query';
import { type RefObject, useEffect, useRef, useState } from 'react';
import { useLocation } from 'react-router';
import { messageOf } from '../lib/api-client.ts';
import { useToasts } from './toasts.tsx';

/**
 * Returns a ref that tells whether the screen or dialog is still shown, for work that may outlive it, e.g. a late
 * response. A screen that was left stays mounted until the code of the next one has loaded.
 */
export function useIsShown(): RefObject<boolean> {
  const { pathname } = useLocation();
  const shownAt = useRef<string>(undefined);
  useEffect(() => {
    shownAt.current = pathname;
    return () => {
      shownAt.current = undefined;
    };
  }, [pathname]);
  const [isShown] = useState(() => ({
    get current() {
      return shownAt.current === window.location.pathname;
    },
  }));
  return isShown;
}

/**
 * For a form that may be closed or left before the response arrives. `showLate` then shows the failure in a
 * toast; an open form shows the failure itself. Pass the promise of a reload of the page's data, too, because the
 * reload may remove the form.
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

/** For a dialog whose form needs no validation and makes one call. Returns props of ui's Form. */
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
