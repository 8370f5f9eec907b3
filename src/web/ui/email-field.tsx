import { type FocusEvent, useRef, useState } from 'react';
import { Field, type FieldProps } from './field.tsx';
import { suggestEmail } from './suggest-email.ts';
import { useFieldError } from './use-field-error.ts';

interface EmailFieldProps extends FieldProps {
  /** Puts the suggested address into the field. */
  onTake(email: string): void;
}

/** A field for an address to write to. It asks about a likely slip in the domain once the field is left. */
export function EmailField({ onTake, onBlur, onChange, ...field }: EmailFieldProps) {
  const frame = useRef<HTMLDivElement>(null);
  const [meant, setMeant] = useState<string>();
  // Held back while the mouse button is down, as an error is.
  const asked = useFieldError(meant, frame);

  function leave(event: FocusEvent<HTMLInputElement>) {
    setMeant(field.readOnly ? undefined : suggestEmail(event.target.value));
    onBlur?.(event);
  }

  return (
    <div ref={frame} className="grid gap-1.5">
      <Field
        {...field}
        type="email"
        spellCheck={false}
        onBlur={leave}
        onChange={(event) => {
          setMeant(undefined);
          onChange?.(event);
        }}
      />
      <p aria-live="polite" className="text-sm empty:sr-only">
        {asked && (
          <>
            Did you mean{' '}
            <button
              type="button"
              className="min-h-6 font-semibold text-accent-ink underline wrap-anywhere"
              onClick={() => {
                setMeant(undefined);
                onTake(asked);
              }}
            >
              {asked}
            </button>
            ?
          </>
        )}
      </p>
    </div>
  );
}
