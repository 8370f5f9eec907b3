import type { AdminOrderPage } from '../../../../shared/admin-orders.ts';
import { FormProblem } from '../../../ui/form-page.tsx';
import { Select } from '../../../ui/select.tsx';
import { dollars } from '../figures.ts';

/** How many units, by the id of their line. */
export type ChosenUnits = Record<string, number>;

interface RefundUnitsProps {
  lines: AdminOrderPage['lines'];
  chosen: ChosenUnits;
  onChange(chosen: ChosenUnits): void;
  error: string | undefined;
}

export function RefundUnits({ lines, chosen, onChange, error }: RefundUnitsProps) {
  return (
    <div className="grid gap-3">
      <ul className="grid gap-3">
        {lines.map(({ _id, name, price, quantity, refundedQuantity }) => {
          const left = quantity - refundedQuantity;
          return (
            <li key={_id} className="flex items-center justify-between gap-4">
              <p className="min-w-0 text-sm">
                <span className="block font-semibold wrap-anywhere">{name}</span>
                <span className="tabular text-muted">
                  {left === 0 ? 'All refunded' : `${dollars(price)} each, plus tax`}
                </span>
              </p>
              <Select
                label={`Units of ${name}`}
                labelHidden
                className="w-24 shrink-0"
                disabled={left === 0}
                value={chosen[_id] ?? 0}
                onChange={({ target }) => onChange({ ...chosen, [_id]: Number(target.value) })}
              >
                {Array.from({ length: left + 1 }, (_, units) => units).map((units) => (
                  <option key={units} value={units}>
                    {units}
                  </option>
                ))}
              </Select>
            </li>
          );
        })}
      </ul>
      {error && <FormProblem>{error}</FormProblem>}
    </div>
  );
}
