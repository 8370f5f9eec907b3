import { Select } from '../../../ui/field.tsx';

interface UnitsOfLineProps {
  name: string;
  detail: string;
  /** The most that can be chosen. */
  left: number;
  units: number;
  onChange(units: number): void;
}

/** An order line with a select for a number of its units. */
export function UnitsOfLine({ name, detail, left, units, onChange }: UnitsOfLineProps) {
  return (
    <li className="flex items-center justify-between gap-4">
      <p className="min-w-0 text-sm">
        <span className="block font-semibold wrap-anywhere">{name}</span>
        <span className="tabular text-muted">{detail}</span>
      </p>
      <Select
        label={`Units of ${name}`}
        labelHidden
        className="w-24 shrink-0"
        disabled={left === 0}
        value={units}
        onChange={({ target }) => onChange(Number(target.value))}>
        {Array.from({ length: left + 1 }, (_, count) => (
          <option key={String(count)}>{count}</option>
        ))}
      </Select>
    </li>
  );
}
