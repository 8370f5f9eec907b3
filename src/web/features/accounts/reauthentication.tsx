import { type ComponentType, useEffect, useEffectEvent, useState } from 'react';
import { CallError, onReauthenticationRequired } from '../../lib/api-client.ts';
import { useSession } from '../../state/session.tsx';

export interface ReauthenticationDialogProps {
  isOpen: boolean;
  onConfirmed(): void;
  onCancel(): void;
}

interface Question {
  Dialog: ComponentType<ReauthenticationDialogProps>;
  isOpen: boolean;
  settle(isConfirmed: boolean): void;
}

// After a failed import, Chromium returns the cached failure for every later import of the same file.
function notLoaded(): never {
  const message = 'We could not ask for your password. Please load the page again.';
  throw new CallError(403, 'REAUTHENTICATION_REQUIRED', message);
}

/** Confirms the user's identity when the shop requires it for a call. The dialog is loaded when first needed. */
export function Reauthentication() {
  const [question, setQuestion] = useState<Question>();

  useEffect(() => {
    async function ask(): Promise<boolean> {
      const { ReauthenticationDialog: Dialog } = await import('./identity-dialogs.tsx').catch(notLoaded);
      const isConfirmed = await new Promise<boolean>((settle) => setQuestion({ Dialog, isOpen: true, settle }));
      // The closed dialog stays in the page, so that the browser restores the focus.
      setQuestion((before) => before && { ...before, isOpen: false });
      return isConfirmed;
    }

    // Calls that are refused at the same time share one question.
    let confirmation: Promise<boolean> | undefined;
    onReauthenticationRequired(() => {
      confirmation ??= ask().finally(() => {
        confirmation = undefined;
      });
      return confirmation;
    });
  }, []);

  // The question is for one user, who may log out in another tab.
  const owner = useSession().user?._id;
  const settleQuestion = useEffectEvent(() => question?.settle(false));
  useEffect(() => () => settleQuestion(), [owner]);

  if (question === undefined) return null;
  const { Dialog, isOpen, settle } = question;
  return <Dialog isOpen={isOpen} onConfirmed={() => settle(true)} onCancel={() => settle(false)} />;
}
