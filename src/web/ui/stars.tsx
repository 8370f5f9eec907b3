import { Star } from 'lucide-react';
import { type Ref, useId, useRef } from 'react';
import { classNames } from './display.tsx';
import { FieldError, useFieldError } from './field.tsx';

const places = [1, 2, 3, 4, 5];

/** A rating from 0 to 5 as stars, the last one filled in part. */
export const Stars = ({ rating }: { rating: number }) => (
  <span role="img" aria-label={`${rating} of 5 stars`} className="relative inline-flex w-max">
    <StarRow className="text-edge" />
    <span className="absolute inset-y-0 left-0 overflow-hidden" style={{ width: `${rating * 20}%` }}>
      <StarRow className="fill-current text-warning" />
    </span>
  </span>
);

const StarRow = ({ className }: { className: string }) => (
  <span className="flex w-max">
    {places.map((place) => (
      <Star key={place} aria-hidden className={classNames('size-4 shrink-0', className)} />
    ))}
  </span>
);

const words = ['', 'Bad', 'Poor', 'Fair', 'Good', 'Excellent'];

interface StarFieldProps {
  label: string;
  /** 0 while no star is chosen. */
  value: number;
  error?: string | undefined;
  /** The radio button for one star, which is focused if no star is chosen. */
  ref?: Ref<HTMLInputElement>;
  onChange(stars: number): void;
}

/** A choice from one to five stars: radio buttons, which arrow keys move between. */
export function StarField({ label, value, error, ref, onChange }: StarFieldProps) {
  const frame = useRef<HTMLFieldSetElement>(null);
  const shown = useFieldError(error, frame);
  const name = useId();
  return (
    <fieldset ref={frame} className="grid gap-1.5">
      <legend className="mb-1.5 text-sm font-semibold">{label}</legend>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <div className="-ml-2 flex">
          {places.map((place) => (
            <label
              key={place}
              className="grid size-11 cursor-pointer place-items-center rounded-md hover:bg-accent-soft has-focus-visible:outline-2 has-focus-visible:outline-accent">
              <input
                ref={place === 1 ? ref : undefined}
                type="radio"
                name={name}
                checked={value === place}
                onChange={() => onChange(place)}
                aria-invalid={error ? true : undefined}
                aria-describedby={shown ? `${name}-error` : undefined}
                className="sr-only"
              />
              <span className="sr-only">
                {place} {place === 1 ? 'star' : 'stars'}
              </span>
              <Star
                aria-hidden
                className={classNames('size-7', place <= value ? 'fill-current text-warning' : 'text-edge')}
              />
            </label>
          ))}
        </div>
        <span aria-hidden className="text-sm text-muted">
          {words[value]}
        </span>
      </div>
      {shown && <FieldError id={name}>{shown}</FieldError>}
    </fieldset>
  );
}
