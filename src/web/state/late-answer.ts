import { messageOf } from '../lib/api-client.ts';
import { useIsShown } from '../lib/use-is-shown.ts';
import { useToasts } from './toasts.tsx';

/**
 * For the form of a dialog, which may be closed before its call is answered. `onFailure` then shows the failure in a toast;
 * while the form is shown, the form does that itself.
 */
export function useLateAnswer(errorMessage: string) {
  const isShown = useIsShown();
  const { show } = useToasts();
  function onFailure(failure: unknown): void {
    if (!isShown.current) show({ type: 'error', message: messageOf(failure, errorMessage) });
  }
  return { isShown, onFailure };
}
