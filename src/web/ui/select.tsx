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
        className={inputClass('appearance-none pr-10 font-medium text-ellipsis')}
      />
      <ChevronDown
        aria-hidden
        className="pointer-events-none absolute top-1/2 right-3 size-5 -translate-y-1/2 text-muted"
      />
    </div>
  );
  if (labelHidden) return control;
  return (
    <FieldFrame id={id} label={label} hint={hint} error={error}>
      {control}
    </FieldFrame>
  );
}
