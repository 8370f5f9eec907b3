import type { LucideIcon } from 'lucide-react';
import type { ComponentProps } from 'react';
import { classNames } from './class-names.ts';

export type Tone = 'neutral' | 'accent' | 'sale' | 'success' | 'warning' | 'danger' | 'info';

const toneClass: Record<Tone, string> = {
  neutral: 'bg-sunken text-ink',
  accent: 'bg-accent-soft text-accent-ink',
  sale: 'bg-sale text-on-sale',
  success: 'bg-success-soft text-success',
  warning: 'bg-warning-soft text-warning',
  danger: 'bg-danger-soft text-danger',
  info: 'bg-info-soft text-info',
};

export const Badge = ({ tone = 'neutral', className, ...rest }: ComponentProps<'span'> & { tone?: Tone }) => (
  <span
    {...rest}
    className={classNames(
      'tabular inline-flex items-center gap-1 rounded-full forced-colors:border px-2.5 py-0.5 text-xs font-semibold whitespace-nowrap',
      toneClass[tone],
      className,
    )}
  />
);

/** A user's initial in a circle; `className` sets the sizes of the circle and the letter. */
export const Initial = ({ className, children }: { className: string; children: string }) => (
  <span
    aria-hidden
    className={classNames(
      'grid shrink-0 place-items-center rounded-full bg-accent-soft font-bold text-accent-ink',
      className,
    )}>
    {children}
  </span>
);

const statusTones = new Map<string, Tone>([
  ['Processing', 'info'],
  ['Shipped', 'accent'],
  ['Delivered', 'success'],
  ['Cancelled', 'danger'],
  ['Refunded', 'neutral'],
  ['Partly refunded', 'neutral'],
  ['Refund under way', 'warning'],
  ['Pending', 'warning'],
  ['Completed', 'success'],
  ['Active', 'success'],
  ['Inactive', 'danger'],
]);

/** A status in its own colour; an unknown status is neutral (docs/conformance.md). */
export function StatusBadge({ status }: { status: string }) {
  return <Badge tone={statusTones.get(status) ?? 'neutral'}>{status}</Badge>;
}

interface CalloutProps extends ComponentProps<'div'> {
  tone: Tone;
  icon?: LucideIcon;
}

export const Callout = ({ tone, icon: Icon, className, children, ...rest }: CalloutProps) => (
  <div
    {...rest}
    className={classNames(
      'rounded-md forced-colors:border px-4 py-3',
      toneClass[tone],
      Icon && 'flex items-start gap-3',
      className,
    )}>
    {Icon && <Icon aria-hidden className="mt-0.5 size-5 shrink-0" />}
    {children}
  </div>
);
