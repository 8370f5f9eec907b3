import { type FormEvent, useState } from 'react';
import { messageOf } from '../../../lib/api-client.ts';
import { passwordLimit } from '../../../lib/form-fields.ts';
import { Button } from '../../../ui/button.tsx';
import { PasswordField } from '../../../ui/password-field.tsx';

interface ConfirmPasswordProps {
  action: string;
  danger?: boolean;
  /** Said when the shop refuses without words. */
  fallback: string;
  onConfirm(password: string): Promise<void>;
  onCancel(): void;
}

// A dialog opens only after its content is there: the platform then looks for the attribute.
const takesFocus = (input: HTMLInputElement | null) => input?.setAttribute('autofocus', '');

/** Asks for the password once more, before something that an open session alone must not do. */
export function ConfirmPassword({
  action,
  danger = false,
  fallback,
  onConfirm,
  onCancel,
}: ConfirmPasswordProps) {
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
      setProblem(messageOf(failure, fallback));
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
