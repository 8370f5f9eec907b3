import { type ComponentType, useEffect, useState } from 'react';
import { call, onReauthenticationRequired } from '../../lib/api-client.ts';

export interface ReauthenticationDialogProps {
  isOpen: boolean;
  onConfirmed(): void;
  onCancel(): void;
}

interface Asked {
  Dialog: ComponentType<ReauthenticationDialogProps>;
  isOpen: boolean;
  settle(isConfirmed: boolean): void;
}

const passwordIn = (body: unknown): string | undefined =>
  typeof body === 'object' && body !== null && 'password' in body ? String(body.password) : undefined;

/**
 * Asks who is at the screen when the shop refuses a call until that is confirmed, whichever screen made it. A call that
 * carries the password confirms it by that. The dialog is loaded when it is first needed.
 */
export function Reauthentication() {
  const [asked, setAsked] = useState<Asked>();

  useEffect(() => {
    async function ask(): Promise<boolean> {
      const { ReauthenticationDialog: Dialog } = await import('./reauthentication-dialog.tsx');
      const isConfirmed = await new Promise<boolean>((settle) => setAsked({ Dialog, isOpen: true, settle }));
      // Stays in the page, closed, so that the platform gives the focus back.
      setAsked((before) => before && { ...before, isOpen: false });
      return isConfirmed;
    }

    // Calls that are refused at once wait for one answer.
    let answer: Promise<boolean> | undefined;
    onReauthenticationRequired(async (body) => {
      const password = passwordIn(body);
      if (password !== undefined) {
        await call('POST /auth/reauthenticate', { body: { password } });
        return true;
      }
      answer ??= ask().finally(() => {
        answer = undefined;
      });
      return answer;
    });
  }, []);

  if (asked === undefined) return null;
  const { Dialog, isOpen, settle } = asked;
  return <Dialog isOpen={isOpen} onConfirmed={() => settle(true)} onCancel={() => settle(false)} />;
}
