import { useMutation, useQueryClient } from '@tanstack/react-query';
import { KeyRound, LayoutDashboard, Monitor, ReceiptText, Smartphone } from 'lucide-react';
import { useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import * as z from 'zod/mini';
import type { SessionEntry, User } from '../../../../shared/accounts.ts';
import { initialOf } from '../../../../shared/format.ts';
import { call, messageOf } from '../../../lib/api-client.ts';
import { describeDevice, isHandheld } from '../../../lib/describe-device.ts';
import { passwordInput, passwordLimit, passwordPair, passwordsMatchOr } from '../../../lib/form-fields.ts';
import { useSendForm } from '../../../lib/forms.ts';
import { Moment } from '../../../lib/moment.tsx';
import { useTitle } from '../../../lib/page.ts';
import { mineKey, useEmailVerification, useMine } from '../../../state/account-status.ts';
import { useLateAnswer } from '../../../state/answers.ts';
import { useSession } from '../../../state/session.tsx';
import { Button, ButtonLink, keepFocus } from '../../../ui/button.tsx';
import { Badge, Card, Initial, Skeleton } from '../../../ui/display.tsx';
import { Form, FormProblem, SuccessMessage, useSuccess, VerifyEmail } from '../../../ui/form-page.tsx';
import { NewPasswordFields, PasswordField } from '../../../ui/input.tsx';
import { LoadFailureBanner } from '../../../ui/loading.tsx';
import { DetailsCard, ProfileCard } from './details-card.tsx';
import { TwoFactorCard } from './two-factor-card.tsx';

export function ProfileScreen() {
  const { user } = useSession();
  useTitle('My Profile');
  return (
    <div className="mx-auto grid w-full max-w-reading grid-cols-1 gap-6 px-4 py-8 sm:px-6">
      {user ? (
        <>
          <ProfileHeader user={user} />
          <DetailsCard user={user} />
          <TwoFactorCard />
          <PasswordCard user={user} />
          <DevicesCard />
        </>
      ) : (
        <Skeleton className="h-80" />
      )}
    </div>
  );
}

function ProfileHeader({ user }: { user: User }) {
  const { name, email, role } = user;
  const verification = useEmailVerification();
  const isAdmin = role === 'admin';
  return (
    <Card className="grid grid-cols-1 gap-6 p-6 sm:p-8">
      <div className="flex flex-wrap items-center gap-5">
        <Initial className="size-16 text-2xl">{initialOf(name || email)}</Initial>
        <div className="grid min-w-0 gap-1">
          <h1 className="text-2xl wrap-anywhere">{name || email}</h1>
          <p className="flex flex-wrap items-center gap-x-3 gap-y-1 text-muted">
            {name && <span className="wrap-anywhere">{email}</span>}
            <Badge tone="accent">{isAdmin ? 'Admin' : 'Customer'}</Badge>
          </p>
        </div>
      </div>
      {verification && <VerifyEmail {...verification} />}
      <div className="flex flex-wrap gap-3">
        <ButtonLink icon={ReceiptText} to="/orders" variant="secondary">
          My Orders
        </ButtonLink>
        {isAdmin && (
          <ButtonLink icon={LayoutDashboard} to="/admin">
            Admin Dashboard
          </ButtonLink>
        )}
      </div>
    </Card>
  );
}

const tips = [
  'Use a password that you use nowhere else.',
  'A few words in a row are easier to remember than symbols, and harder to guess.',
  'We never ask for your password by mail or chat.',
];

function PasswordCard({ user }: { user: User }) {
  const [isOpen, setIsOpen] = useState(false);
  const { success, showSuccess } = useSuccess();
  const toggle = useRef<HTMLButtonElement>(null);
  const queries = useQueryClient();

  function changed() {
    showSuccess('Password updated. Your other devices are signed out.');
    flushSync(() => setIsOpen(false));
    toggle.current?.focus();
    void queries.invalidateQueries({ queryKey: mineKey(user._id, 'sessions') });
  }

  return (
    <ProfileCard
      title="Password & Security"
      aside={
        <Button
          icon={KeyRound}
          ref={toggle}
          variant="secondary"
          aria-expanded={isOpen}
          onClick={() => setIsOpen((before) => !before)}>
          Change Password
        </Button>
      }>
      {isOpen && <ChangePasswordForm user={user} onChanged={changed} />}
      <SuccessMessage>{success}</SuccessMessage>
      <ul className="grid list-disc gap-1.5 pl-5 text-muted">
        {tips.map((tip) => (
          <li key={tip}>{tip}</li>
        ))}
      </ul>
    </ProfileCard>
  );
}

const passwordChange = z
  .object({
    currentPassword: z.string().check(z.minLength(1, 'Please enter your current password')),
    ...passwordPair('Please enter a new password', 'Please confirm the new password'),
  })
  .check(passwordsMatchOr('New passwords do not match'));

function ChangePasswordForm({ user, onChanged }: { user: User; onChanged(): void }) {
  const { renewal } = useSession();
  const { showLate } = useLateAnswer();
  const { form, ...fields } = useSendForm({
    schema: passwordChange,
    defaultValues: { currentPassword: '', password: '', confirmPassword: '' },
    send: async ({ currentPassword, password }) => {
      const renew = renewal();
      const { token } = await call('PUT /auth/updatepassword', { body: { currentPassword, newPassword: password } });
      renew({ token, user });
      onChanged();
    },
    fieldFor: (rejected) =>
      rejected === 'newPassword' ? 'password' : rejected === 'currentPassword' ? rejected : undefined,
    errorMessage: 'Failed to update password',
    onFailure: (_failure, message) => showLate(message),
  });
  return (
    <Form {...form} action="Update Password" layout="card" focused>
      {/* Tells password managers which account the password belongs to. */}
      <input type="email" autoComplete="username" value={user.email} readOnly hidden />
      <PasswordField {...fields.fieldOf('currentPassword')} {...passwordInput} label="Current Password" />
      <div className="grid items-start gap-4 sm:grid-cols-2">
        <NewPasswordFields fields={fields} {...passwordLimit} labels={['New Password', 'Confirm New Password']} />
      </div>
    </Form>
  );
}

function DevicesCard() {
  const sessions = useMine(['sessions'], () => call('GET /auth/sessions'), {
    select: (data) => data.toSorted((one, other) => Number(other.current) - Number(one.current)),
    staleTime: 0,
  });
  const { success, showSuccess } = useSuccess();
  const end = useMutation({
    mutationFn: (session: SessionEntry | 'others') =>
      keepFocus(async () => {
        if (session === 'others') await call('DELETE /auth/sessions');
        else await call('DELETE /auth/sessions/:id', { params: { id: session.id } });
        await sessions.refetch();
      }),
    onSuccess: (_, session) =>
      showSuccess(session === 'others' ? 'All other devices are signed out' : 'The device is signed out'),
  });

  return (
    <ProfileCard
      title="Signed-in devices"
      aside={
        sessions.data?.some(({ current }) => !current) && (
          <Button
            variant="secondary"
            loading={end.isPending && end.variables === 'others'}
            onClick={() => end.mutate('others')}>
            Sign out all other devices
          </Button>
        )
      }>
      {sessions.data ? (
        <ul className="grid divide-y divide-line">
          {sessions.data.map((session) => (
            <Device
              key={session.id}
              session={session}
              isEnding={end.isPending && end.variables === session}
              onEnd={() => end.mutate(session)}
            />
          ))}
        </ul>
      ) : sessions.isError ? (
        <LoadFailureBanner message={messageOf(sessions.error, 'Your devices could not be listed')} query={sessions} />
      ) : (
        <Skeleton className="h-20" />
      )}
      {end.isError && <FormProblem>{messageOf(end.error, 'The device could not be signed out')}</FormProblem>}
      <SuccessMessage>{success}</SuccessMessage>
    </ProfileCard>
  );
}

function Device({ session, isEnding, onEnd }: { session: SessionEntry; isEnding: boolean; onEnd(): void }) {
  const { userAgent, ip, createdAt, lastSeenAt, current } = session;
  const Icon = isHandheld(userAgent) ? Smartphone : Monitor;
  const name = describeDevice(userAgent);
  return (
    <li className="flex items-start gap-4 py-4 first:pt-0 last:pb-0">
      <span className="grid size-11 shrink-0 place-items-center rounded-md bg-accent-soft text-accent-ink">
        <Icon aria-hidden className="size-5" />
      </span>
      <div className="flex min-w-0 flex-1 flex-wrap items-center justify-between gap-3">
        <div className="grid gap-0.5">
          <p className="flex flex-wrap items-center gap-x-3 gap-y-1 font-semibold">
            {name}
            {current && <Badge tone="success">This device</Badge>}
          </p>
          <p className="text-sm text-muted wrap-anywhere">
            {current ? (
              'In use now'
            ) : (
              <>
                Last seen <Moment at={lastSeenAt} />
              </>
            )}{' '}
            from {ip}
            <br />
            Signed in since <Moment at={createdAt} />
          </p>
        </div>
        {!current && (
          <Button variant="secondary" size="sm" loading={isEnding} onClick={onEnd}>
            Sign out
            <span className="sr-only">
              {' '}
              {name}, signed in since <Moment at={createdAt} />
            </span>
          </Button>
        )}
      </div>
    </li>
  );
}
