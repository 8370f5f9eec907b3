import { orderStatus } from '../../../../shared/orders.ts';
import { Field } from '../../../ui/field.tsx';
import { Select } from '../../../ui/select.tsx';
import type { OrderFilters } from './use-order-filters.ts';

export function OrderFilterBar({ filters }: { filters: OrderFilters }) {
  const { typed, status, type, chooseStatus } = filters;
  return (
    <search className="grid grid-cols-2 gap-4 lg:grid-cols-[minmax(0,1fr)_12rem_11rem_11rem]">
      <div className="max-sm:col-span-2">
        <Field
          label="Search orders"
          type="search"
          placeholder="Number, name or email"
          maxLength={100}
          value={typed.q}
          onChange={({ target }) => type({ q: target.value })}
        />
      </div>
      <div className="max-sm:col-span-2">
        <Select label="Status" value={status} onChange={({ target }) => chooseStatus(target.value)}>
          <option value="">All Status</option>
          {orderStatus.options.map((known) => (
            <option key={known} value={known}>
              {known}
            </option>
          ))}
        </Select>
      </div>
      <div className="max-[24rem]:col-span-2">
        <Field
          label="From"
          type="date"
          max={typed.to}
          value={typed.from}
          onChange={({ target }) => type({ from: target.value })}
        />
      </div>
      <div className="max-[24rem]:col-span-2">
        <Field
          label="To"
          type="date"
          min={typed.from}
          value={typed.to}
          onChange={({ target }) => type({ to: target.value })}
        />
      </div>
    </search>
  );
}
