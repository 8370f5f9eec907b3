import { useMutation } from '@tanstack/react-query';
import { type RefObject, useEffect, useRef, useState } from 'react';
import { useLocation } from 'react-router';
import { CallError, messageOf } from '../lib/api-client.ts';
import { useToasts } from './toasts.tsx';

// What the answer of a call means for a screen. Not in api-client.ts, which every page loads first.

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
  onClose(): void;
  onFailure?(): void;
}

/** For a dialog whose form needs no validation and makes one call. Returns props of ui's Form. */
export function useDialogCall({ send, errorMessage, onClose, onFailure }: DialogCall) {
  const { isShown, showLate } = useLateAnswer();
  const { mutate, isPending, error } = useMutation({
    mutationFn: send,
    onSuccess: () => {
      if (isShown.current) onClose();
    },
    onError: (failure) => {
      showLate(messageOf(failure, errorMessage));
      onFailure?.();
    },
  });
  return { onSubmit: () => mutate(), isBusy: isPending, problem: error && messageOf(error, errorMessage) };
}

/** Whether nothing exists at a path. Status 400 means that an id in the path is malformed. */
export const isNotFound = (failure: unknown): boolean =>
  failure instanceof CallError && (failure.status === 404 || failure.status === 400);

/** The message for what could not be read by the id in a path, as in `Order not found`. */
export const messageOfRead = (failure: unknown, what: string, errorMessage: string): string =>
  isNotFound(failure) ? `${what} not found` : messageOf(failure, errorMessage);

/** Whether the shop rejected a form because its key was used before with other values. It then needs a new key. */
export const isSentBefore = (failure: unknown): boolean => failure instanceof CallError && failure.field === 'draft';

/** Whether the response was lost in the network (0) or at a proxy (502, 504). The call may have been carried out. */
export const isAnswerLost = (failure: unknown): boolean =>
  failure instanceof CallError && (failure.status < 400 || failure.status > 500);

/** Whether a page waits for data that would move it if the data arrived later. After a failure it waits no longer. */
export const isAwaited = ({ isLoading, failureCount }: { isLoading: boolean; failureCount: number }): boolean =>
  isLoading && failureCount === 0;

const FIRST_MS = 3_000;
const LONGEST_MS = 60_000;

/** A `refetchInterval`: after 3 s, then at growing intervals up to a minute, while the data will change by itself. */
export const refetchWhile =
  <Data>(isAwaited: (data: Data) => boolean) =>
  ({ state: { data, dataUpdateCount } }: { state: { data: Data | undefined; dataUpdateCount: number } }) =>
    data !== undefined && isAwaited(data) && Math.min(FIRST_MS * 1.1 ** (dataUpdateCount - 1), LONGEST_MS);
