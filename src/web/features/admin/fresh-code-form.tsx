import { type ReactNode, useState } from 'react';
import { TWO_FACTOR_CODE_LENGTH } from '../../../shared/two-factor.ts';
import { codeOf } from '../../lib/api-client.ts';
import { DroppedWhenLeft } from '../../lib/dropped-when-left.ts';
import { useCodeCheck } from '../../lib/forms.ts';
import { useTwoFactorStatus } from '../../state/account-status.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Skeleton } from '../../ui/display.tsx';
import { Form, takeFocus } from '../../ui/form-page.tsx';
import { OtpField } from '../../ui/otp-field.tsx';
import { useKeepAs, useReason } from './action-dialog.tsx';

interface FreshCodeFormProps<Answer> {
  action: string;
  /** The action that needs a code, as the subject of a sentence. */
  purpose: string;
  /** Id of what the action is about: a typed reason, not the code, is kept when the session ends. */
  about: string | undefined;
  send(proof: { reason: string; code: string }): Promise<Answer>;
  onSent(answer: Answer): void;
  errorMessage: string;
  reasonHint?: string;
  checkFields?(): boolean;
  isFilled?: boolean;
  onCancel(): void;
  children: ReactNode;
}

export function FreshCodeForm<Answer>(props: FreshCodeFormProps<Answer>) {
  const { action, purpose, about, send, onSent, errorMessage, reasonHint, checkFields, isFilled = false } = props;
  const { data: twoFactor, isPending } = useTwoFactorStatus();
  const { reason, isMissing, check, field } = useReason(reasonHint, useKeepAs(`${action} reason`, about));
  const [isChecked, setIsChecked] = useState(false);
  const codeCheck = useCodeCheck({
    check: (code) => send({ reason, code }),
    onChecked: onSent,
    onFailure: () => setIsChecked(false),
    errorMessage,
  });
  const { code, failure, form } = codeCheck;
  // The form takes the focus, so it must not be replaced.
  if (isPending) return <Skeleton className="h-40" />;
  if (twoFactor?.enabled === false) {
    return (
      <>
        <p>{purpose} needs a code from your authenticator app. Two-factor authentication is not set up yet.</p>
        <ButtonLink to="/2fa-setup" className="justify-self-end">
          Set up 2FA
        </ButtonLink>
      </>
    );
  }

  const isComplete = code.length === TWO_FACTOR_CODE_LENGTH;
  function submit() {
    setIsChecked(true);
    const isReasonGiven = check();
    const areFieldsRight = checkFields?.() ?? true;
    if (isReasonGiven && areFieldsRight && isComplete) form.onSubmit();
  }
  // The last digit of the code does not submit the form, because the form also needs a reason.
  const { onComplete: _, error, ...otp } = codeCheck.field;
  const isWrongCode = codeOf(failure) === 'INVALID_CODE';
  return (
    <Form
      action={action}
      isBusy={form.isBusy}
      problem={isWrongCode ? null : (error ?? null)}
      onSubmit={submit}
      onCancel={props.onCancel}
      focused
      isFilled={!isMissing || isFilled}>
      {props.children}
      {field}
      <OtpField
        {...otp}
        label="Authentication code"
        length={TWO_FACTOR_CODE_LENGTH}
        hint="From your authenticator app. Each code works once."
        error={isChecked && !isComplete ? 'Please enter a 6-digit code' : isWrongCode ? error : undefined}
      />
    </Form>
  );
}

type Revealed = { data: { content: string } };

interface RevealProps extends Omit<FreshCodeFormProps<Revealed>, 'action' | 'onSent' | 'onCancel'> {
  title: string;
  onClose(): void;
  /** Names the secret, as the subject of a sentence. */
  children: ReactNode;
}

/** Shows one secret to an administrator. Closing the dialog or leaving the page drops it. */
export const RevealDialog = ({ isOpen, ...props }: RevealProps & { isOpen: boolean }) => (
  <Dialog isOpen={isOpen} onClose={props.onClose} title={props.title}>
    <DroppedWhenLeft>
      <Reveal {...props} />
    </DroppedWhenLeft>
  </Dialog>
);

function Reveal({ title, onClose, children, ...form }: RevealProps) {
  const [content, setContent] = useState<string>();
  if (content === undefined) {
    return (
      <FreshCodeForm {...form} action={title} onSent={({ data }) => setContent(data.content)} onCancel={onClose}>
        <p>{children} will be shown to you once. That you read it, when and why goes on record.</p>
      </FreshCodeForm>
    );
  }
  return (
    <>
      <output className="block rounded-md bg-sunken px-3.5 py-3 font-mono break-all whitespace-pre-wrap">
        {content}
      </output>
      <div className="flex flex-wrap justify-end gap-3">
        {/* The form that had the focus is gone. */}
        <CopyButton ref={takeFocus} text={content} />
        <Button onClick={onClose}>Hide</Button>
      </div>
    </>
  );
}
