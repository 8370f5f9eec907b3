import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { formatPrice } from '../../../shared/currency.ts';
import { formatMoment } from '../../../shared/format.ts';
import { toCents } from '../../../shared/pricing.ts';
import { Card } from '../../ui/card.tsx';
import { classNames } from '../../ui/class-names.ts';

/** An amount in US dollars, the currency of every charge, whatever currency the shop's pages show. */
export const formatDollars = (amount: number): string => formatPrice(toCents(amount));

/** The same amount converted to ringgit. */
export const ringgit = (amount: number): string => formatPrice(toCents(amount), 'MYR');

/** Date and time in the reader's own time zone. */
export const Moment = ({ at, className }: { at: string; className?: string }) => (
  <time dateTime={at} className={className}>
    {formatMoment(at)}
  </time>
);

interface FactsProps {
  /** By their labels; an empty one is left out. */
  facts: Record<string, ReactNode>;
  className?: string;
}

/** Labels with their values below; the columns come from the class name. */
export const Facts = ({ facts, className }: FactsProps) => (
  <dl className={classNames('grid gap-3 text-sm', className)}>
    {Object.entries(facts).map(
      ([label, value]) =>
        value && (
          <div key={label} className="grid min-w-0 content-start gap-0.5">
            <dt className="text-muted">{label}</dt>
            <dd className="font-medium wrap-anywhere">{value}</dd>
          </div>
        ),
    )}
  </dl>
);

/** `order-delivered` as `Order delivered`. */
export function wordsOf(name: string): string {
  const words = name.replaceAll(/[.-]/g, ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** A card of a detail page with its heading. */
export function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Card role="region" aria-label={title} className="grid grid-cols-1 gap-4 p-5 sm:p-6">
      <h2 className="text-lg">{title}</h2>
      {children}
    </Card>
  );
}

interface StatTileProps {
  icon: LucideIcon;
  label: string;
  /** A dash is shown while it is undefined. */
  value: string | undefined;
  children?: ReactNode;
}

/** One figure, as an item of a list. */
export function StatTile({ icon: Icon, label, value = '–', children }: StatTileProps) {
  return (
    <li>
      <Card className="grid h-full content-start gap-2 p-4 sm:p-5">
        <p className="flex items-center justify-between gap-2 text-sm text-muted">
          {label}
          <Icon aria-hidden className="size-5 shrink-0 text-accent-ink" strokeWidth={1.75} />
        </p>
        <p className="tabular text-xl font-bold wrap-anywhere sm:text-2xl">{value}</p>
        {children}
      </Card>
    </li>
  );
}
