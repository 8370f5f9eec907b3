import type { ReactNode } from 'react';
import { isShopTimeElsewhere } from '../../../shared/format.ts';
import { classNames } from '../../ui/class-names.ts';
import { Field } from '../../ui/field.tsx';
import type { useListFilters } from './dashboard-url.ts';

interface SearchFieldProps {
  label: string;
  /** What can be searched for. */
  placeholder: string;
  value: string;
  onChange(value: string): void;
}

export function SearchField({ onChange, ...field }: SearchFieldProps) {
  return (
    <Field
      {...field}
      type="search"
      maxLength={100}
      autoComplete="off"
      onChange={({ target }) => onChange(target.value)}
    />
  );
}

interface FilterBarProps extends Pick<SearchFieldProps, 'label' | 'placeholder'> {
  filters: Pick<ReturnType<typeof useListFilters>, 'typed' | 'type'>;
  /** One more field. */
  children?: ReactNode;
}

/** Filters a list by words and days. */
export function FilterBar({ filters: { typed, type }, children, ...words }: FilterBarProps) {
  const columns = children
    ? 'lg:grid-cols-[minmax(0,1fr)_12rem_11rem_11rem]'
    : 'lg:grid-cols-[minmax(0,1fr)_11rem_11rem]';
  return (
    <search className={classNames('grid grid-cols-2 gap-4', columns)}>
      <div className={children ? 'max-sm:col-span-2' : 'max-lg:col-span-2'}>
        <SearchField {...words} value={typed.q} onChange={(q) => type({ q })} />
      </div>
      {children && <div className="max-sm:col-span-2">{children}</div>}
      {(['from', 'to'] as const).map((name) => (
        <div key={name} className="max-[24rem]:col-span-2">
          <Field
            label={name === 'from' ? 'From' : 'To'}
            type="date"
            {...(name === 'from' ? { max: typed.to } : { min: typed.from })}
            value={typed[name]}
            onChange={({ target }) => type({ [name]: target.value })}
          />
        </div>
      ))}
      {isShopTimeElsewhere(new Date()) && (
        <p className="col-span-full text-sm text-muted">
          These days begin at midnight in Malaysia (GMT+8); the times in the list are your own.
        </p>
      )}
    </search>
  );
}
