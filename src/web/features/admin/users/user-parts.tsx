import type { AdminUser } from '../../../../shared/admin.ts';
import { formatCount } from '../../../../shared/figures.ts';
import { Badge } from '../../../ui/badge.tsx';

export function Initial({ name }: { name: string }) {
  return (
    <span
      aria-hidden
      className="grid size-12 shrink-0 place-items-center rounded-full bg-accent-soft text-xl font-bold text-accent-ink"
    >
      {name.charAt(0).toUpperCase() || '?'}
    </span>
  );
}

export function UserBadges({ user: { role, blockedAt } }: { user: AdminUser }) {
  return (
    <>
      <Badge tone={role === 'admin' ? 'accent' : 'neutral'}>{role === 'admin' ? 'Admin' : 'Customer'}</Badge>
      {blockedAt && <Badge tone="danger">Blocked</Badge>}
    </>
  );
}

/** What somebody spent, in whole dollars. */
export const wholeDollars = (amount: number) => `$${formatCount(Math.round(amount))}`;
