import { CircleAlert } from 'lucide-react';
import { type ComponentProps, type ReactNode, useId, useRef } from 'react';
import { classNames } from './class-names.ts';
import { useFieldError } from './use-field-error.ts';

export const inputClass = (className?: string) =>
  classNames(
    // Focused below the header, its label comes into view with it.
    'min-h-11 w-full scroll-mt-8 rounded-md border border-edge bg-surface px-3.5 text-base text-ink placeholder:text-muted',
    'transition-colors hover:border-accent focus-visible:border-accent focus-visible:outline-offset-0',
    'aria-invalid:border-danger aria-invalid:outline-danger',
    'disabled:cursor-not-allowed disabled:bg-sunken disabled:text-muted',
    className,
  );

interface FieldFrameProps {
  id: string;
  label: ReactNode;
  hint?: ReactNode;
  error?: string | undefined;
  optional?: boolean;
  children: ReactNode;
}

/** Which of hint and error describe the control of a frame; for its `aria-describedby`. */
export const describedBy = (id: string, hint: ReactNode, error: string | undefined) =>
  classNames(error && `${id}-error`, hint !== undefined && `${id}-hint`) || undefined;

/** Label above, hint and error below, for any control that carries the id. See `useFieldError` for when the error shows. */
export function FieldFrame({ id, label, hint, error, optional = false, children }: FieldFrameProps) {
  const frame = useRef<HTMLDivElement>(null);
  const shown = useFieldError(error, frame);
  return (
    <div ref={frame} className="grid grid-cols-1 gap-1.5">
      <label htmlFor={id} className="text-sm font-semibold">
        {label}
        {optional && <span className="font-normal text-muted"> (optional)</span>}
      </label>
      {children}
      {shown && (
        <p id={`${id}-error`} role="alert" className="flex items-start gap-1.5 text-sm text-danger">
          <CircleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
          {shown}
        </p>
      )}
      {hint !== undefined && (
        <p id={`${id}-hint`} className="text-sm text-muted">
          {hint}
        </p>
      )}
    </div>
  );
}

export interface FieldProps extends ComponentProps<'input'> {
  label: ReactNode;
  hint?: ReactNode;
  error?: string | undefined;
  /** Says beside the label that it may stay empty. */
  optional?: boolean;
}

/** A labelled input. Spread react-hook-form's `register(...)` into it. */
export function Field({ label, hint, error, optional = false, className, ...input }: FieldProps) {
  const ownId = useId();
  const id = input.id ?? ownId;
  return (
    <FieldFrame id={id} label={label} hint={hint} error={error} optional={optional}>
      <input
        {...input}
        id={id}
        aria-invalid={error ? true : undefined}
        aria-describedby={describedBy(id, hint, error)}
        className={inputClass(className)}
      />
    </FieldFrame>
  );
}
