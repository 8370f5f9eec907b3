import { useState } from 'react';
import * as z from 'zod/mini';
import { call } from '../../../lib/api-client.ts';
import { passwordLimit } from '../../../lib/form-fields.ts';
import { useSendForm } from '../../../lib/use-send-form.ts';
import { backupCodesFile } from '../../../state/account-status.ts';
import { Button } from '../../../ui/button.tsx';
import { CodeList } from '../../../ui/copy.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { Form } from '../../../ui/form-page.tsx';
import { PasswordField } from '../../../ui/text-fields.tsx';

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
            errorMessage="Failed to disable 2FA"
            send={disable}
            onCancel={close}
          />
        )}
      </Dialog>
    </>
  );
}

export function RenewBackupCodes({ onRenewed }: { onRenewed(): void }) {
  const [isOpen, setIsOpen] = useState(false);
  const [codes, setCodes] = useState<string[]>();

  function close() {
    setIsOpen(false);
    setCodes(undefined);
  }

  async function renew(password: string) {
    setCodes((await call('POST /auth/2fa/backup-codes', { body: { password } })).data.backupCodes);
    onRenewed();
  }

  return (
    <>
      <Button variant="secondary" onClick={() => setIsOpen(true)}>
        Regenerate backup codes
      </Button>
      <Dialog isOpen={isOpen} onClose={close} title={codes ? 'Your new backup codes' : 'Regenerate backup codes?'}>
        {codes && <NewCodes codes={codes} onDone={close} />}
        {!codes && <p>You get ten new codes. The ones you have now stop working.</p>}
        {!codes && isOpen && (
          <ConfirmPassword
            action="Regenerate"
            errorMessage="Failed to regenerate backup codes"
            send={renew}
            onCancel={close}
          />
        )}
      </Dialog>
    </>
  );
}

function NewCodes({ codes, onDone }: { codes: string[]; onDone(): void }) {
  return (
    <>
      <p>Each opens your account once when your phone is not at hand. They are shown only now.</p>
      <CodeList label="Backup codes" codes={codes} file={backupCodesFile(codes)} />
      <Button onClick={onDone} className="justify-self-end">
        Done
      </Button>
    </>
  );
}

interface ConfirmPasswordProps {
  action: string;
  danger?: boolean;
  errorMessage: string;
  send(password: string): Promise<void>;
  onCancel(): void;
}

/** Asks for the password again before a change that an open session alone must not make. */
function ConfirmPassword({ send, errorMessage, ...buttons }: ConfirmPasswordProps) {
  const { fieldOf, form } = useSendForm({
    schema: z.object({ password: z.string().check(z.minLength(1, 'Please enter your password')) }),
    defaultValues: { password: '' },
    send: ({ password }) => send(password),
    fieldFor: () => 'password',
    errorMessage,
  });
  return (
    <Form {...form} {...buttons} layout="dialog" focused>
      <PasswordField
        {...fieldOf('password')}
        {...passwordLimit}
        label="Password"
        autoComplete="current-password"
        required
      />
    </Form>
  );
}
