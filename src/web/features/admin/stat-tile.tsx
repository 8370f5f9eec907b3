import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { Card } from '../../ui/card.tsx';

interface StatTileProps {
  icon: LucideIcon;
  label: string;
  /** A dash stands for what could not be read. */
  value: string | undefined;
  /** Below the figure. */
  children?: ReactNode;
}

/** One figure, as an entry of a list. */
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
