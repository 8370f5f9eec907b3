import type { ReactNode } from 'react';
import { classNames } from './display.tsx';

interface TableProps {
  caption: string;
  /** The first one names its row for screen readers. */
  columns: string[];
  numeric?: string[];
  rows: { key: string; cells: ReactNode[] }[];
}

/** A table that scrolls sideways in its own frame if it is wider than the screen, also by keyboard. */
export function Table({ caption, columns, numeric = [], rows }: TableProps) {
  const isNumeric = (column = '') => numeric.includes(column);
  return (
    <div className="relative overflow-x-auto rounded-lg border border-line bg-surface shadow-card">
      <table className="w-full border-collapse text-left text-sm">
        <caption className="sr-only">{caption}</caption>
        <thead className="bg-sunken text-muted">
          <tr>
            {columns.map((column) => (
              <th
                key={column}
                scope="col"
                className={classNames('px-4 py-2 font-semibold whitespace-nowrap', isNumeric(column) && 'text-right')}>
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="divide-y divide-line [&>tr]:transition-colors [&>tr:hover]:bg-accent-soft/50">
          {rows.map(({ key, cells }) => (
            <tr key={key}>
              {cells.map((cell, place) =>
                place === 0 ? (
                  <th key={columns[place]} scope="row" className="px-4 py-3 text-left font-normal">
                    {cell}
                  </th>
                ) : (
                  <td
                    key={columns[place]}
                    className={classNames('px-4 py-3', isNumeric(columns[place]) && 'tabular text-right')}>
                    {cell}
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
