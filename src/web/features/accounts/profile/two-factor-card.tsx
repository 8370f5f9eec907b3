import { ShieldCheck, TriangleAlert } from 'lucide-react';
import { useState } from 'react';
import * as z from 'zod/mini';
import type { TwoFactorStatus } from '../../../../shared/two-factor.ts';
import { CallError, call, codeOf } from '../../../lib/api-client.ts';
import { DroppedWhenLeft } from '../../../lib/dropped-when-left.ts';
import { passwordInput } from '../../../lib/form-fields.ts';
import { useSendForm } from '../../../lib/forms.ts';
import { backupCodesFile, useTwoFactorStatus } from '../../../state/account-status.ts';
import { isAnswerLost, useLateAnswer } from '../../../state/answers.ts';
import { useSession } from '../../../state/session.tsx';
import { Button, ButtonLink, keepFocus } from '../../../ui/button.tsx';
import { BackupCodes } from '../../../ui/copy.tsx';
import { Dialog, useUnsavedWork } from '../../../ui/dialog.tsx';
import { Badge, Callout, Skeleton, type Tone } from '../../../ui/display.tsx';
import { Form, SuccessMessage, useSuccess } from '../../../ui/form-page.tsx';
import { PasswordField } from '../../../ui/input.tsx';
import { TryAgain } from '../../../ui/loading.tsx';
import { ProfileCard } from './details-card.tsx';

export function TwoFactorCard() {
  const query = useTwoFactorStatus();
  const { data: status, isError, refetch } = query;
  const { success, showSuccess } = useSuccess();

  function disabled() {
    showSuccess('Two-factor authentication is off');
    void keepFocus(refetch);
  }

  return (
    <ProfileCard
      title="Two-Factor Authentication"
      aside={
        status && (
          <Badge tone={status.enabled ? 'success' : 'neutral'}>{status.enabled ? 'Enabled' : 'Not enabled'}</Badge>
        )
      }>
      <p className="text-muted">
        When you sign in, we then also ask for a code from an app on your phone. Your password alone is then not enough
        to sign in.
      </p>
      {status ? (
        <DroppedWhenLeft>
          <Settings status={status} onDisabled={disabled} />
        </DroppedWhenLeft>
      ) : isError ? (
        <div role="alert" className="flex flex-wrap items-center gap-3">
          <p>Your two-factor status could not be loaded.</p>
          <TryAgain query={query} variant="secondary" />
        </div>
      ) : (
        <Skeleton className="h-11 w-36" />
      )}
      <SuccessMessage>{success}</SuccessMessage>
    </ProfileCard>
  );
}

const codesLeft: Record<TwoFactorStatus['backupCodesStatus'], { label: string; tone: Tone }> = {
  sufficient: { label: 'Sufficient', tone: 'success' },
  low: { label: 'Low', tone: 'warning' },
  none: { label: 'None', tone: 'danger' },
};

const CODES_LOST =
  'Your new codes did not arrive, and the ones you have may no longer work. Please try again until you see new codes.';

function Settings({ status, onDisabled }: { status: TwoFactorStatus; onDisabled(): void }) {
  const { user } = useSession();
  const { refetch } = useTwoFactorStatus();
  if (!status.enabled) {
    return (
      <>
        {user?.role === 'admin' && (
          <Callout tone="warning" icon={TriangleAlert}>
            You are an administrator: anyone who learns your password controls the shop. Please enable 2FA.
          </Callout>
        )}
        <ButtonLink icon={ShieldCheck} to="/2fa-setup" className="justify-self-start">
          Enable 2FA
        </ButtonLink>
      </>
    );
  }
  const { label, tone } = codesLeft[status.backupCodesStatus];
  return (
    <>
      <p className="flex items-center gap-3">
        Backup codes: <Badge tone={tone}>{label}</Badge>
      </p>
      {status.warning !== null && (
        <Callout tone="warning" icon={TriangleAlert}>
          {status.warning}
        </Callout>
      )}
      <div className="flex flex-wrap gap-3">
        <PasswordDialog
          opens="Regenerate backup codes"
          title="Regenerate backup codes?"
          text="You get ten new codes. The ones you have now stop working."
          action="Regenerate"
          errorMessage="Failed to regenerate backup codes"
          send={async (password) => {
            const { data } = await call('POST /auth/2fa/backup-codes', { body: { password } }).catch((failure) => {
              throw isAnswerLost(failure) ? new CallError(0, 'UNREACHABLE', CODES_LOST) : failure;
            });
            void refetch();
            return data.backupCodes;
          }}
        />
        <PasswordDialog
          opens="Disable 2FA"
          danger
          title="Disable two-factor authentication?"
          text="Your password alone will then open your account, and your backup codes end."
          action="Disable 2FA"
          errorMessage="Failed to disable 2FA"
          send={async (password) => {
            await call('POST /auth/2fa/disable', { body: { password } }).catch((failure: unknown) => {
              // Off already, e.g. by an earlier try whose response was lost.
              if (codeOf(failure) !== 'TWO_FACTOR_NOT_SET_UP') throw failure;
            });
            onDisabled();
            return undefined;
          }}
        />
      </div>
    </>
  );
}

interface PasswordDialogProps {
  opens: string;
  danger?: boolean;
  title: string;
  text: string;
  action: string;
  errorMessage: string;
  /** Returns the new backup codes if it makes any; they replace the form. */
  send(password: string): Promise<string[] | undefined>;
}

const ARE_CODES_KEPT = {
  title: 'Have you kept the codes?',
  text: 'They are not shown again.',
  keep: 'Back to the codes',
  discard: 'Yes, close',
};

/** Asks for the password again before a change for which a session alone is not enough. */
function PasswordDialog({ opens, title, text, send, danger = false, ...form }: PasswordDialogProps) {
  const [isOpen, setIsOpen] = useState(false);
  const [codes, setCodes] = useState<string[]>();
  function close() {
    setIsOpen(false);
    setCodes(undefined);
  }
  async function change(password: string) {
    const made = await send(password);
    if (made === undefined) return close();
    // Show the codes even if the dialog was closed meanwhile, because the earlier codes no longer work.
    setCodes(made);
    setIsOpen(true);
  }
  return (
    <>
      <Button variant={danger ? 'danger' : 'secondary'} onClick={() => setIsOpen(true)}>
        {opens}
      </Button>
      <Dialog
        isOpen={isOpen}
        onClose={close}
        title={codes ? 'Your new backup codes' : title}
        question={codes && ARE_CODES_KEPT}>
        {codes ? <NewCodes codes={codes} onDone={close} /> : <p>{text}</p>}
        {!codes && <PasswordForm {...form} danger={danger} send={change} onCancel={close} />}
      </Dialog>
    </>
  );
}

function NewCodes({ codes, onDone }: { codes: string[]; onDone(): void }) {
  useUnsavedWork(true);
  return (
    <>
      <p>Each opens your account once when your phone is not at hand. They are shown only now.</p>
      <BackupCodes codes={codes} file={backupCodesFile(codes)} />
      <Button onClick={onDone} className="justify-self-end">
        Done
      </Button>
    </>
  );
}

interface PasswordFormProps extends Pick<PasswordDialogProps, 'action' | 'danger' | 'errorMessage'> {
  send(password: string): Promise<void>;
  onCancel(): void;
}

function PasswordForm({ send, errorMessage, ...buttons }: PasswordFormProps) {
  const { showLate } = useLateAnswer();
  const { fieldOf, form } = useSendForm({
    schema: z.object({ password: z.string().check(z.minLength(1, 'Please enter your password')) }),
    defaultValues: { password: '' },
    send: ({ password }) => send(password),
    fieldFor: () => 'password',
    errorMessage,
    onFailure: (_failure, message) => showLate(message),
  });
  return (
    <Form {...form} {...buttons} focused>
      <PasswordField {...fieldOf('password')} {...passwordInput} />
    </Form>
  );
}
