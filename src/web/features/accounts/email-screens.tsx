import { useMutation, useQueryClient } from '@tanstack/react-query';
import { MailCheck, MailWarning } from 'lucide-react';
import { type ReactNode, useEffect, useState } from 'react';
import { useLocation, useNavigate, useSearchParams } from 'react-router';
import { call, codeOf, messageOf } from '../../lib/api-client.ts';
import { codeInput } from '../../lib/form-fields.ts';
import { useTitle } from '../../lib/page.ts';
import { forgetSession } from '../../lib/storage.ts';
import { useSession } from '../../state/session.tsx';
import { useShop } from '../../state/shop.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { Form, FormPage, FormProblem, MailboxLink, Notice } from '../../ui/form-page.tsx';
import { Field } from '../../ui/input.tsx';

/** For the account that requested the link. The visitor must press a button, because mail filters open links. */
export function ConfirmEmailScreen() {
  const confirmToken = useLinkToken();
  const { status } = useSession();
  const queries = useQueryClient();
  const confirm = useMutation({
    mutationFn: async () => (await call('POST /auth/confirmemail', { body: { confirmToken } })).data,
    onSuccess: () => void queries.invalidateQueries({ queryKey: ['session'] }),
  });
  useTitle('Confirm your email');

  if (confirm.data) {
    return (
      <Notice icon={MailCheck} tone="success" title="Email confirmed">
        <p>
          <strong className="wrap-anywhere">{confirm.data.email}</strong> is yours. Orders that were paid with it are in
          your account.
        </p>
        <ButtonLink to="/orders">My Orders</ButtonLink>
      </Notice>
    );
  }
  const isInvalid = isLinkInvalid(confirm.error);
  if (confirmToken === '' || isInvalid) {
    return (
      <LinkNeeded isInvalid={isInvalid}>
        <p>
          If you have pressed the button before, your address is confirmed. You can ask for a new link in your profile.
        </p>
        <ButtonLink to="/profile">My Profile</ButtonLink>
      </LinkNeeded>
    );
  }
  if (status === 'signed-out') {
    // The token is kept in the login's history entry; it is valid for its own account only.
    const from = `/confirm-email?token=${confirmToken}`;
    return (
      <FormPage
        title="Confirm your email"
        lead="Sign in to the account that asked for this link, with the address it has now, and you come back here. If you did not ask for it, do nothing, and nothing changes.">
        <ButtonLink to="/login" size="lg" replace state={{ from }}>
          Sign in to confirm
        </ButtonLink>
      </FormPage>
    );
  }
  return (
    <FormPage title="Confirm your email" lead="Press the button to confirm the address that the link was mailed to.">
      <FormProblem>{confirm.error && messageOf(confirm.error, 'Verification failed')}</FormProblem>
      <Button size="lg" loading={confirm.isPending || status !== 'signed-in'} onClick={() => confirm.mutate()}>
        Confirm my email
      </Button>
    </FormPage>
  );
}

const UNDO_TITLE = 'Undo the change of your email';

/** Opened by the link that is mailed to the old e-mail of an account. The visitor must press a button here, too. */
export function UndoEmailScreen() {
  const undoToken = useLinkToken();
  const mailbox = useShop()?.mailbox;
  const [code, setCode] = useState('');
  const [asksForCode, setAsksForCode] = useState(false);
  const undo = useMutation({
    mutationFn: async () => call('POST /auth/undoemail', { body: { undoToken, ...(code && { code: code.trim() }) } }),
    onSuccess: (response) => {
      if ('requiresTwoFactor' in response) return setAsksForCode(true);
      // All sessions of the account have ended, including one in this browser.
      forgetSession();
    },
    onError: () => setCode(''),
  });
  useTitle(UNDO_TITLE);

  if (undo.data && 'data' in undo.data) {
    return (
      <Notice icon={MailCheck} tone="success" title="Your email is restored">
        <p>
          <strong className="wrap-anywhere">{undo.data.data.email}</strong> is the address of your account again, and
          all devices are signed out.
        </p>
        <p>The earlier password no longer works: open the mail that we have just sent you, and choose a new one.</p>
        <MailboxLink path={mailbox} />
      </Notice>
    );
  }
  const isInvalid = isLinkInvalid(undo.error);
  if (undoToken === '' || isInvalid) {
    return (
      <LinkNeeded isInvalid={isInvalid}>
        <p>
          A change can be undone once, within seven days. If you have pressed the button before, your account has its
          address back: choose a new password with "Forgot password?". Otherwise please write to us.
        </p>
        <div className="flex flex-wrap justify-center gap-3">
          <ButtonLink to="/forgot-password">Forgot password?</ButtonLink>
          <ButtonLink to="/info/contact" variant="secondary">
            Contact Support
          </ButtonLink>
        </div>
      </LinkNeeded>
    );
  }

  const problem = undo.error ? messageOf(undo.error, 'The change could not be undone. Please try again.') : undefined;
  return (
    <FormPage
      title={UNDO_TITLE}
      lead="Your account gets the address back to which the link was mailed. All devices are signed out, and we mail a link there with which you choose a new password.">
      <Form
        key={String(asksForCode)}
        focused={asksForCode}
        action="Undo the change"
        isBusy={undo.isPending}
        problem={!asksForCode && problem}
        onSubmit={() => {
          if (!asksForCode || code.trim() !== '') undo.mutate();
        }}>
        {asksForCode && (
          <Field
            label="Code"
            hint="From the authenticator app that the account had before the change, or one of its backup codes."
            {...codeInput}
            value={code}
            readOnly={undo.isPending}
            onChange={({ target }) => setCode(target.value)}
            error={problem}
          />
        )}
      </Form>
    </FormPage>
  );
}

/** The token of the mailed link that opened this screen, or ''. The token is removed from the URL and from the history. */
export function useLinkToken(): string {
  const [search] = useSearchParams();
  const [token] = useState(() => search.get('token') ?? '');
  const { pathname } = useLocation();
  const navigate = useNavigate();
  useEffect(() => {
    if (window.location.search !== '') void navigate(pathname, { replace: true });
  }, [pathname, navigate]);
  return token;
}

export const isLinkInvalid = (failure: unknown) => codeOf(failure) === 'LINK_INVALID';

export function LinkNeeded({ isInvalid = false, children }: { isInvalid?: boolean; children: ReactNode }) {
  const title = isInvalid ? 'This link has been used or has expired' : 'Open the link in your mail';
  return (
    <Notice icon={MailWarning} tone="warning" title={title}>
      {children}
    </Notice>
  );
}
