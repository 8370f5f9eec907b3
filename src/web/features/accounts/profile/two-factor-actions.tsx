import { type FormEvent, useState } from 'react';
import { call, messageOf } from '../../../lib/api-client.ts';
import { passwordLimit } from '../../../lib/form-fields.ts';
import { useKeepCodes } from '../../../lib/use-keep-codes.ts';
import { Button } from '../../../ui/button.tsx';
import { CodeList } from '../../../ui/code-list.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
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
            onConfirm={disable}
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
    const { data } = await call('POST /auth/2fa/backup-codes', { body: { password } });
    setCodes(data.backupCodes);
    onRenewed();
  }

  return (
    <>
      <Button variant="secondary" onClick={() => setIsOpen(true)}>
        Regenerate backup codes
      </Button>
      <Dialog isOpen={isOpen} onClose={close} title={codes ? 'Your new backup codes' : 'Regenerate backup codes?'}>
        {codes ? (
          <NewCodes codes={codes} onDone={close} />
        ) : (
          <>
            <p>You get ten new codes. The ones you have now stop working.</p>
            {isOpen && (
              <ConfirmPassword
                action="Regenerate"
                errorMessage="Failed to regenerate backup codes"
                onConfirm={renew}
                onCancel={close}
              />
            )}
          </>
        )}
      </Dialog>
    </>
  );
}

function NewCodes({ codes, onDone }: { codes: string[]; onDone(): void }) {
  return (
    <>
      <p>Each opens your account once when your phone is not at hand. They are shown only now.</p>
      <CodeList label="Backup codes" codes={codes} {...useKeepCodes(codes)} />
      <Button onClick={onDone} className="justify-self-end">
        Done
      </Button>
    </>
  );
}

interface ConfirmPasswordProps {
  action: string;
  danger?: boolean;
  /** Shown when the shop refuses without a message. */
  errorMessage: string;
  onConfirm(password: string): Promise<void>;
  onCancel(): void;
}

// The dialog opens after this renders, and the browser then looks for the attribute.
const takesFocus = (input: HTMLInputElement | null) => input?.setAttribute('autofocus', '');

/** Asks for the password again before a change that an open session alone must not make. */
function ConfirmPassword({ action, danger = false, errorMessage, onConfirm, onCancel }: ConfirmPasswordProps) {
  const [password, setPassword] = useState('');
  const [problem, setProblem] = useState<string>();
  const [isSending, setIsSending] = useState(false);

  async function submit(event: FormEvent) {
    event.preventDefault();
    if (isSending) return;
    if (password === '') return setProblem('Please enter your password');
    setProblem(undefined);
    setIsSending(true);
    try {
      await onConfirm(password);
    } catch (failure) {
      setProblem(messageOf(failure, errorMessage));
    } finally {
      setIsSending(false);
    }
  }

  return (
    <form noValidate onSubmit={(event) => void submit(event)} className="grid gap-4">
      <PasswordField
        {...passwordLimit}
        ref={takesFocus}
        label="Password"
        autoComplete="current-password"
        required
        value={password}
        onChange={({ target }) => setPassword(target.value)}
        error={problem}
      />
      <div className="flex flex-wrap justify-end gap-3">
        <Button variant="quiet" onClick={onCancel}>
          Cancel
        </Button>
        <Button type="submit" variant={danger ? 'danger' : 'primary'} loading={isSending}>
          {action}
        </Button>
      </div>
    </form>
  );
}
