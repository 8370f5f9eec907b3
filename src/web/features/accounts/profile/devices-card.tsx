import { useMutation, useQuery } from '@tanstack/react-query';
import { Monitor, Smartphone } from 'lucide-react';
import type { SessionEntry } from '../../../../shared/accounts.ts';
import { formatMoment } from '../../../../shared/dates.ts';
import { call, messageOf } from '../../../lib/api-client.ts';
import { describeDevice, isHandheld } from '../../../lib/describe-device.ts';
import { useSession } from '../../../state/session.tsx';
import { Badge } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { FormProblem } from '../../../ui/form-page.tsx';
import { Skeleton } from '../../../ui/skeleton.tsx';
import { ProfileCard } from './profile-card.tsx';
import { SuccessMessage, useSuccess } from './success-message.tsx';

export function DevicesCard() {
  const { user } = useSession();
  const sessions = useQuery({
    queryKey: ['mine', user?._id, 'sessions'],
    queryFn: async () => {
      const { data } = await call('GET /auth/sessions');
      return data.toSorted((one, other) => Number(other.current) - Number(one.current));
    },
    staleTime: 0,
  });
  const { success, say } = useSuccess();
  const end = useMutation({
    mutationFn: async (session: SessionEntry | 'others') => {
      if (session === 'others') await call('DELETE /auth/sessions');
      else await call('DELETE /auth/sessions/:id', { params: { id: session.id } });
      await sessions.refetch();
    },
    onSuccess: (_, session) =>
      say(session === 'others' ? 'All other devices are signed out' : 'The device is signed out'),
  });

  return (
    <ProfileCard
      title="Signed-in devices"
      aside={
        sessions.data?.some(({ current }) => !current) && (
          <Button
            variant="secondary"
            loading={end.isPending && end.variables === 'others'}
            onClick={() => end.mutate('others')}
          >
            Sign out all other devices
          </Button>
        )
      }
    >
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
        <FormProblem>{messageOf(sessions.error, 'Your devices could not be listed')}</FormProblem>
      ) : (
        <Skeleton className="h-20" />
      )}
      {end.isError && <FormProblem>{messageOf(end.error, 'The device could not be signed out')}</FormProblem>}
      <SuccessMessage>{success}</SuccessMessage>
    </ProfileCard>
  );
}

interface DeviceProps {
  session: SessionEntry;
  isEnding: boolean;
  onEnd(): void;
}

function Device({ session, isEnding, onEnd }: DeviceProps) {
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
                Last seen <time dateTime={lastSeenAt}>{formatMoment(lastSeenAt)}</time>
              </>
            )}{' '}
            from {ip}
            <br />
            Signed in since <time dateTime={createdAt}>{formatMoment(createdAt)}</time>
          </p>
        </div>
        {!current && (
          <Button variant="secondary" size="sm" loading={isEnding} onClick={onEnd}>
            Sign out<span className="sr-only"> {name}</span>
          </Button>
        )}
      </div>
    </li>
  );
}
