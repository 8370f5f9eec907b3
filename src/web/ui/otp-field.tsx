import { OTPField } from '@base-ui/react/otp-field';
import { type ReactNode, useId } from 'react';
import { describedBy, FieldFrame, inputClass } from './field.tsx';

interface OtpFieldProps {
  label: string;
  value: string;
  onChange(code: string): void;
  /** Called when the last digit is typed, or a whole code is pasted or filled in. */
  onComplete?(code: string): void;
  length?: number;
  hint?: ReactNode;
  error?: string | undefined;
  disabled?: boolean;
  /** Takes the focus as it appears. */
  focused?: boolean;
}

// The attribute is for a field in a dialog that opens only after this: the platform looks for it then.
function takeFocus(input: HTMLInputElement | null) {
  input?.setAttribute('autofocus', '');
  input?.focus();
}

/** A one-time code, a digit to a box: takes digits only, a pasted code whole, and the phone's suggestion. */
export function OtpField(props: OtpFieldProps) {
  const { label, value, onChange, onComplete, length = 6, hint, error, disabled = false, focused } = props;
  const id = useId();
  const places = Array.from({ length }, (_, place) => place + 1);
  return (
    <FieldFrame id={id} label={label} hint={hint} error={error}>
      <OTPField.Root
        id={id}
        length={length}
        value={value}
        onValueChange={onChange}
        onValueComplete={(code) => onComplete?.(code)}
        disabled={disabled}
        aria-describedby={describedBy(id, hint, error)}
        className="flex max-w-84 gap-2"
      >
        {places.map((place) => (
          <OTPField.Input
            key={place}
            ref={place === 1 && focused ? takeFocus : undefined}
            aria-label={place === 1 ? undefined : `Digit ${place} of ${length}`}
            aria-invalid={error ? true : undefined}
            className={inputClass('tabular min-h-13 min-w-0 px-0 text-center text-xl font-semibold')}
          />
        ))}
      </OTPField.Root>
    </FieldFrame>
  );
}
