import { type ComponentProps, type ReactNode, useId } from 'react';
import { classNames } from './class-names.ts';
import { describedBy, FieldFrame, inputClass } from './field.tsx';

interface TextAreaProps extends ComponentProps<'textarea'> {
  label: ReactNode;
  hint?: ReactNode;
  error?: string | undefined;
  /** Says beside the label that it may stay empty. */
  optional?: boolean;
}

/** A labelled text of several lines. Spread react-hook-form's `register(...)` into it. */
export function TextArea({ label, hint, error, optional = false, className, ...area }: TextAreaProps) {
  const ownId = useId();
  const id = area.id ?? ownId;
  return (
    <FieldFrame id={id} label={label} hint={hint} error={error} optional={optional}>
      <textarea
        rows={4}
        {...area}
        id={id}
        aria-invalid={error ? true : undefined}
        aria-describedby={describedBy(id, hint, error)}
        className={inputClass(classNames('resize-y py-2.5', className))}
      />
    </FieldFrame>
  );
}
