import { Gamepad2, Package } from 'lucide-react';
import type { AdminOrder } from '../../../../shared/admin-orders.ts';
import { Badge } from '../../../ui/badge.tsx';

export function OrderType({ type }: { type: AdminOrder['orderType'] }) {
  const Icon = type === 'digital' ? Gamepad2 : Package;
  return (
    <span className="inline-flex items-center gap-1.5 text-sm font-semibold text-accent-ink">
      <Icon aria-hidden className="size-5" />
      {type === 'digital' ? 'Digital' : 'Physical'}
    </span>
  );
}

export const PaidBadge = ({ isPaid }: { isPaid: boolean }) => (
  <Badge tone={isPaid ? 'success' : 'warning'}>{isPaid ? 'Paid' : 'Pending'}</Badge>
);
