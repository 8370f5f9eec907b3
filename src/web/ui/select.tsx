import { ChevronDown } from 'lucide-react';
import { type ComponentProps, type ReactNode, useId } from 'react';
import { classNames } from './class-names.ts';
import { describedBy, FieldFrame, inputClass } from './field.tsx';

interface SelectProps extends ComponentProps<'select'> {
  label: string;
  /** Keeps the label for screen readers only. */
  labelHidden?: boolean;
  hint?: ReactNode;
  error?: string | undefined;
}

/** The platform's own select, which every phone and screen reader knows. */
export function Select({ label, labelHidden = false, hint, error, className, ...select }: SelectProps) {
  const ownId = useId();
  const id = select.id ?? ownId;
  const control = (
    <div className={classNames('relative', labelHidden && className)}>
      <select
        {...select}
        id={id}
        aria-label={labelHidden ? label : undefined}
        aria-invalid={error ? true : undefined}
        aria-describedby={describedBy(id, hint, error)}
        className={inputClass('appearance-none peer pr-8 font-medium text-ellipsis')}
      />
      {/* Where the browser draws the choice in one line, a long one fades out below the arrow. */}
      <span className="pointer-events-none absolute inset-y-0.5 right-0.5 grid w-10 items-center justify-items-end rounded-r-md bg-linear-to-r from-transparent to-surface to-20% pr-2.5 supports-[appearance:base-select]:bg-none peer-disabled:to-sunken">
        <ChevronDown aria-hidden className="size-5 text-muted" />
      </span>
    </div>
  );
  if (labelHidden) return control;
  return (
    <FieldFrame id={id} label={label} hint={hint} error={error}>
      {control}
    </FieldFrame>
  );
}
