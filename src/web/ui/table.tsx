import { ArrowDown, ArrowUp, ChevronsUpDown } from 'lucide-react';
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

type Direction = 'ascending' | 'descending';

interface HeaderCellProps {
  children: ReactNode;
  /** Numbers stand at the end of their column. */
  numeric?: boolean;
  /** Makes the head a button; `sorted` says how the rows stand now. */
  onSort?: () => void;
  sorted?: Direction | undefined;
}

const arrows = { ascending: ArrowUp, descending: ArrowDown };

export function HeaderCell({ children, numeric = false, onSort, sorted }: HeaderCellProps) {
  const Arrow = sorted ? arrows[sorted] : ChevronsUpDown;
  return (
    <th
      scope="col"
      aria-sort={sorted}
      className={classNames('px-4 py-2 font-semibold whitespace-nowrap', numeric && 'text-right')}>
      {onSort ? (
        <button
          type="button"
          onClick={onSort}
          className="-mx-2 inline-flex min-h-9 items-center gap-1.5 rounded-sm px-2 hover:text-ink">
          {children}
          <Arrow aria-hidden className={classNames('size-4', sorted ? 'text-accent' : 'opacity-60')} />
        </button>
      ) : (
        children
      )}
    </th>
  );
}

export function Cell({ numeric = false, className, ...rest }: ComponentProps<'td'> & { numeric?: boolean }) {
  return <td {...rest} className={classNames('px-4 py-3', numeric && 'tabular text-right', className)} />;
}
