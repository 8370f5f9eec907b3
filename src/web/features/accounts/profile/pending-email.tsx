import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Info } from 'lucide-react';
import type { User } from '../../../../shared/accounts.ts';
import { call, messageOf } from '../../../lib/api-client.ts';
import { Button } from '../../../ui/button.tsx';
import { FormProblem } from '../../../ui/form-page.tsx';

export const pendingEmailKey = ({ _id }: User) => ['mine', _id, 'pending-email'];

/** A new address that waits for its link to be opened; nothing where there is none. */
export function PendingEmail({ user, onSaid }: { user: User; onSaid(message: string): void }) {
  const queries = useQueryClient();
  const pending = useQuery({
    queryKey: pendingEmailKey(user),
    queryFn: async () => (await call('GET /auth/pendingemail')).data,
    // The link is opened in another tab, or on another device.
    staleTime: 0,
  });
  const change = useMutation({
    mutationFn: async (action: 'resend' | 'cancel') => {
      if (action === 'resend') return (await call('POST /auth/pendingemail')).data;
      await call('DELETE /auth/pendingemail');
      return null;
    },
    onSuccess: (left, action) => {
      queries.setQueryData(pendingEmailKey(user), left);
      onSaid(action === 'resend' ? 'The link is on its way again' : 'Your email stays as it is');
    },
    // It may be confirmed or cancelled elsewhere.
    onError: () => void pending.refetch(),
  });
  const isRunning = (action: 'resend' | 'cancel') => change.isPending && change.variables === action;

  if (!pending.data || pending.data.email === user.email) return null;
  return (
    <div className="grid gap-3 rounded-md bg-info-soft px-4 py-3 text-info">
      <p className="flex items-start gap-3">
        <Info aria-hidden className="mt-0.5 size-5 shrink-0" />
        <span className="wrap-anywhere">
          We have mailed a link to <strong>{pending.data.email}</strong>. Until it is opened, {user.email}{' '}
          stays your address. Only the newest link works, and we send at most three an hour.
        </span>
      </p>
      {change.isError && <FormProblem>{messageOf(change.error, 'Update failed')}</FormProblem>}
      <div className="flex flex-wrap gap-3">
        <Button
          size="sm"
          variant="secondary"
          loading={isRunning('resend')}
          disabled={isRunning('cancel')}
          onClick={() => change.mutate('resend')}
        >
          Send the link again
        </Button>
        <Button
          size="sm"
          variant="secondary"
          loading={isRunning('cancel')}
          disabled={isRunning('resend')}
          onClick={() => change.mutate('cancel')}
        >
          Cancel the change
        </Button>
      </div>
    </div>
  );
}
