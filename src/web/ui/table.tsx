import type { ComponentProps, ReactNode } from 'react';
import { classNames } from './class-names.ts';

interface TableProps {
  /** What the table lists; read out, not shown. */
  caption: string;
  /** The rows of the head, then those of the body: `HeaderCell`s and `Cell`s in `tr`s. */
  head: ReactNode;
  children: ReactNode;
}

/** Scrolls sideways in its own frame where it is wider than the screen; browsers let the keyboard do so, too. */
export function Table({ caption, head, children }: TableProps) {
  return (
    <div className="relative overflow-x-auto rounded-lg border border-line bg-surface shadow-card">
      <table className="w-full border-collapse text-left text-sm">
        <caption className="sr-only">{caption}</caption>
        <thead className="bg-sunken text-muted">{head}</thead>
        <tbody className="divide-y divide-line [&>tr]:transition-colors [&>tr:hover]:bg-accent-soft/50">
          {children}
        </tbody>
      </table>
    </div>
  );
}

interface CellProps {
  /** Aligns the figures of a column at its end. */
  numeric?: boolean;
}

export const HeaderCell = ({ numeric = false, children }: CellProps & { children: ReactNode }) => (
  <th scope="col" className={classNames('px-4 py-2 font-semibold whitespace-nowrap', numeric && 'text-right')}>
    {children}
  </th>
);

export const Cell = ({ numeric = false, className, ...rest }: CellProps & ComponentProps<'td'>) => (
  <td {...rest} className={classNames('px-4 py-3', numeric && 'tabular text-right', className)} />
);
