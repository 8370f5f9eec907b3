import { orderStatus } from '../../../../shared/orders.ts';
import { Field } from '../../../ui/field.tsx';
import { Select } from '../../../ui/select.tsx';
import type { OrderFilters } from './use-order-filters.ts';

export function OrderFilterBar({ filters }: { filters: OrderFilters }) {
  const { typed, status, type, chooseStatus } = filters;
  return (
    <search className="grid gap-4 sm:grid-cols-2 lg:grid-cols-[minmax(0,1fr)_12rem_11rem_11rem]">
      <Field
        label="Search orders"
        type="search"
        placeholder="Number, name or email"
        maxLength={100}
        value={typed.q}
        onChange={({ target }) => type({ q: target.value })}
      />
      <Select label="Status" value={status} onChange={({ target }) => chooseStatus(target.value)}>
        <option value="">All Status</option>
        {orderStatus.options.map((known) => (
          <option key={known} value={known}>
            {known}
          </option>
        ))}
      </Select>
      <Field
        label="From"
        type="date"
        max={typed.to}
        value={typed.from}
        onChange={({ target }) => type({ from: target.value })}
      />
      <Field
        label="To"
        type="date"
        min={typed.from}
        value={typed.to}
        onChange={({ target }) => type({ to: target.value })}
      />
    </search>
  );
}
