import { ShieldCheck, TriangleAlert } from 'lucide-react';
import type { TwoFactorStatus } from '../../../../shared/two-factor.ts';
import { useTwoFactorStatus } from '../../../state/account-status.ts';
import { useSession } from '../../../state/session.tsx';
import { Badge, type Tone } from '../../../ui/badge.tsx';
import { Button, ButtonLink } from '../../../ui/button.tsx';
import { Skeleton } from '../../../ui/card.tsx';
import { ProfileCard, SuccessMessage, useSuccess } from './profile-card.tsx';
import { DisableTwoFactor, RenewBackupCodes } from './two-factor-actions.tsx';

export function TwoFactorCard() {
  const { data: status, isError, isFetching, refetch } = useTwoFactorStatus();
  const { success, showSuccess } = useSuccess();

  function disabled() {
    showSuccess('Two-factor authentication is off');
    void refetch();
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
        When you sign in, we then also ask for a code from an app on your phone. Whoever learns your password alone
        stays outside.
      </p>
      {status ? (
        <Settings status={status} onDisabled={disabled} onRenewed={() => void refetch()} />
      ) : isError ? (
        <div role="alert" className="flex flex-wrap items-center gap-3">
          <p>Whether it is on could not be found out.</p>
          <Button variant="secondary" loading={isFetching} onClick={() => void refetch()}>
            Try again
          </Button>
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

interface SettingsProps {
  status: TwoFactorStatus;
  onDisabled(): void;
  onRenewed(): void;
}

function Settings({ status, onDisabled, onRenewed }: SettingsProps) {
  const { user } = useSession();
  if (!status.enabled) {
    return (
      <>
        {user?.role === 'admin' && (
          <Warning>You run this shop: whoever learns your password runs it, too. Please enable 2FA.</Warning>
        )}
        <ButtonLink to="/2fa-setup" className="justify-self-start">
          <ShieldCheck aria-hidden className="size-5" />
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
      {status.warning !== null && <Warning>{status.warning}</Warning>}
      <div className="flex flex-wrap gap-3">
        <RenewBackupCodes onRenewed={onRenewed} />
        <DisableTwoFactor onDisabled={onDisabled} />
      </div>
    </>
  );
}

function Warning({ children }: { children: string }) {
  return (
    <p className="flex items-start gap-3 rounded-md bg-warning-soft px-4 py-3 text-warning">
      <TriangleAlert aria-hidden className="mt-0.5 size-5 shrink-0" />
      {children}
    </p>
  );
}
