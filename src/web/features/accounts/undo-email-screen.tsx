import { useMutation } from '@tanstack/react-query';
import { MailCheck, MailWarning } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { Link } from 'react-router';
import { CallError, call, messageOf } from '../../lib/api-client.ts';
import { storage } from '../../lib/storage.ts';
import { useTitle } from '../../lib/use-title.ts';
import { useShop } from '../../state/shop.tsx';
import { Button, buttonClass } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import { FormPage, FormProblem } from '../../ui/form-page.tsx';
import { MailboxLink } from '../../ui/mailbox-link.tsx';
import { Notice } from '../../ui/notice.tsx';
import { useLinkToken } from './use-link-token.ts';

const TITLE = 'Undo the change of your email';

/**
 * Opened from the link that is mailed to the old address of an account. It waits for a press, as mail filters open links
 * before people do.
 */
export function UndoEmailScreen() {
  const undoToken = useLinkToken();
  const [code, setCode] = useState('');
  const [asksForCode, setAsksForCode] = useState(false);
  const undo = useMutation({
    mutationFn: async () =>
      call('POST /auth/undoemail', { body: { undoToken, ...(code && { code: code.trim() }) } }),
    onSuccess: (answer) => {
      if ('requiresTwoFactor' in answer) return setAsksForCode(true);
      // Every session of the account has ended, one in this browser too.
      storage.token.clear();
      storage.user.clear();
    },
    onError: () => setCode(''),
  });
  useTitle(TITLE);

  if (undo.data && 'data' in undo.data) return <Undone email={undo.data.data.email} />;
  const isOver = undo.error instanceof CallError && undo.error.code === 'LINK_INVALID';
  if (undoToken === '' || isOver) return <LinkNeeded isOver={isOver} />;

  const problem = undo.error ? messageOf(undo.error, 'Verification failed') : undefined;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!undo.isPending && !(asksForCode && code.trim() === '')) undo.mutate();
  };
  return (
    <FormPage
      title={TITLE}
      lead="Your account gets the address back to which the link was mailed. All devices are signed out, and we mail a link there with which you choose a new password."
    >
      <form noValidate onSubmit={submit} className="grid gap-4">
        {asksForCode ? (
          <Field
            ref={(input) => input?.focus()}
            label="Code"
            hint="From the authenticator app that the account had before the change, or one of its backup codes."
            value={code}
            readOnly={undo.isPending}
            onChange={({ target }) => setCode(target.value)}
            autoComplete="one-time-code"
            autoCapitalize="none"
            spellCheck={false}
            required
            error={problem}
          />
        ) : (
          <FormProblem>{problem}</FormProblem>
        )}
        <Button type="submit" size="lg" loading={undo.isPending}>
          Undo the change
        </Button>
      </form>
    </FormPage>
  );
}

function Undone({ email }: { email: string }) {
  const mailbox = useShop()?.mailbox;
  return (
    <Notice icon={MailCheck} tone="success" title="Your email is restored">
      <p>
        <strong className="wrap-anywhere">{email}</strong> is the address of your account again, and all
        devices are signed out.
      </p>
      <p>
        The earlier password no longer works: open the mail that we have just sent you, and choose a new one.
      </p>
      <MailboxLink path={mailbox} />
    </Notice>
  );
}

function LinkNeeded({ isOver }: { isOver: boolean }) {
  return (
    <Notice
      icon={MailWarning}
      tone="warning"
      title={isOver ? 'This link has been used or has expired' : 'Open the link in your mail'}
    >
      <p>
        A change can be undone once, within seven days. If you have pressed the button before, your account
        has its address back: choose a new password with "Forgot password?". Otherwise please write to us.
      </p>
      <div className="flex flex-wrap justify-center gap-3">
        <Link to="/forgot-password" className={buttonClass()}>
          Forgot password?
        </Link>
        <Link to="/info/contact" className={buttonClass('secondary')}>
          Contact Support
        </Link>
      </div>
    </Notice>
  );
}
