import type { AdminOrderPage } from '../../../../shared/admin-orders.ts';
import { Select } from '../../../ui/field.tsx';

type OrderLine = AdminOrderPage['lines'][number];

interface UnitsOfLinesProps {
  lines: readonly OrderLine[];
  detailOf(line: OrderLine): string;
  /** The most units that can be chosen. */
  leftOf(line: OrderLine): number;
  unitsOf(line: OrderLine): number;
  onChange(line: OrderLine, units: number): void;
}

/** Order lines, each with a select for a number of its units. */
export const UnitsOfLines = ({ lines, detailOf, leftOf, unitsOf, onChange }: UnitsOfLinesProps) => (
  <ul className="grid gap-3">
    {lines.map((line) => (
      <li key={line._id} className="flex items-center justify-between gap-4">
        <p className="min-w-0 text-sm">
          <span className="block font-semibold wrap-anywhere">{line.name}</span>
          <span className="tabular text-muted">{detailOf(line)}</span>
        </p>
        <Select
          label={`Units of ${line.name}`}
          labelHidden
          className="w-24 shrink-0"
          disabled={leftOf(line) === 0}
          value={unitsOf(line)}
          onChange={({ target }) => onChange(line, Number(target.value))}>
          {Array.from({ length: leftOf(line) + 1 }, (_, count) => (
            <option key={String(count)}>{count}</option>
          ))}
        </Select>
      </li>
    ))}
  </ul>
);
