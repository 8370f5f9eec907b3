import { useState } from 'react';
import { call } from '../../../lib/api-client.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { ConfirmPassword } from './confirm-password.tsx';

export function DisableTwoFactor({ onDisabled }: { onDisabled(): void }) {
  const [isOpen, setIsOpen] = useState(false);
  const close = () => setIsOpen(false);

  async function disable(password: string) {
    await call('POST /auth/2fa/disable', { body: { password } });
    close();
    onDisabled();
  }

  return (
    <>
      <Button variant="danger" onClick={() => setIsOpen(true)}>
        Disable 2FA
      </Button>
      <Dialog isOpen={isOpen} onClose={close} title="Disable two-factor authentication?">
        <p>Your password alone will then open your account, and your backup codes end.</p>
        {isOpen && (
          <ConfirmPassword
            action="Disable 2FA"
            danger
            fallback="Failed to disable 2FA"
            onConfirm={disable}
            onCancel={close}
          />
        )}
      </Dialog>
    </>
  );
}
