import { Gamepad2, Package } from 'lucide-react';
import type { ReactNode } from 'react';
import type { AdminOrder } from '../../../../shared/admin-orders.ts';
import { formatPrice } from '../../../../shared/currency.ts';
import { toCents } from '../../../../shared/pricing.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Card } from '../../../ui/card.tsx';
import { classNames } from '../../../ui/class-names.ts';

/** The charge is in dollars, whatever currency the shop's pages show. */
export const dollars = (amount: number) => formatPrice(toCents(amount));

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

interface FactProps {
  label: string;
  className?: string;
  children: ReactNode;
}

export function Fact({ label, className, children }: FactProps) {
  return (
    <div className={classNames('grid min-w-0 content-start gap-0.5', className)}>
      <dt className="text-muted">{label}</dt>
      <dd className="font-medium wrap-anywhere">{children}</dd>
    </div>
  );
}

/** A part of the page under its own heading. */
export function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Card role="region" aria-label={title} className="grid grid-cols-1 gap-4 p-5 sm:p-6">
      <h2 className="text-lg">{title}</h2>
      {children}
    </Card>
  );
}
