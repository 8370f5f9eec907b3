import { Gamepad2, Package } from 'lucide-react';
import type { AdminOrder } from '../../../../shared/admin-orders.ts';
import { Badge, StatusBadge } from '../../../ui/badge.tsx';
import { classNames } from '../../../ui/class-names.ts';
import { dollars } from '../figures.tsx';

export function OrderType({ type }: { type: AdminOrder['orderType'] }) {
  const Icon = type === 'digital' ? Gamepad2 : Package;
  return (
    <span className="inline-flex items-center gap-1.5 text-sm font-semibold text-accent-ink">
      <Icon aria-hidden className="size-5" />
      {type === 'digital' ? 'Digital' : 'Physical'}
    </span>
  );
}

export const OrderStatus = ({ order }: { order: Pick<AdminOrder, 'status' | 'refundStatus'> }) => (
  <>
    <StatusBadge status={order.status} />
    {order.refundStatus && <StatusBadge status={order.refundStatus} />}
  </>
);

export const PaidBadge = ({ isPaid }: { isPaid: boolean }) => (
  <Badge tone={isPaid ? 'success' : 'warning'}>{isPaid ? 'Paid' : 'Pending'}</Badge>
);

export const OrderTotal = ({ amount, className }: { amount: number; className?: string }) => (
  <p className={classNames('tabular font-bold', className)}>
    <span className="sr-only">Total </span>
    {dollars(amount)}
  </p>
);
