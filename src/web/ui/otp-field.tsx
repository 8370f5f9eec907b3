import { OTPField } from '@base-ui/react/otp-field';
import { type ReactNode, useId, useLayoutEffect, useRef } from 'react';
import { describedBy, FieldFrame, inputClass } from './field.tsx';
import { takeFocus } from './form-page.tsx';

// A digit typed this soon after the response to a code was meant for that code.
const LATE_KEY_MS = 500;

interface OtpFieldProps {
  label: string;
  value: string;
  onChange(code: string): void;
  /** Number of refused codes. Each refusal mounts a new field with the focus on its first digit. */
  refusals?: number;
  /** Whether a code is being checked. The field ignores keys meanwhile. */
  isChecking?: boolean;
  /** Called when the last digit is typed, or a whole code is pasted or filled in. */
  onComplete?(code: string): void;
  length: number;
  hint?: ReactNode;
  error?: string | undefined;
  focused?: boolean;
}

/** A one-time code with a box for each digit. Accepts typed digits, a pasted code and the phone's suggestion. */
export function OtpField(props: OtpFieldProps) {
  const { label, value, onChange, onComplete, length, hint, error, focused } = props;
  const { refusals = 0, isChecking = false } = props;
  const takesKey = useLateKeys(isChecking, length);
  const id = useId();
  const places = Array.from({ length }, (_, place) => place + 1);
  return (
    <FieldFrame id={id} label={label} hint={hint} error={error}>
      <OTPField.Root
        key={refusals}
        id={id}
        length={length}
        value={value}
        onValueChange={(next, details) => {
          // Several digits at once were pasted or filled in.
          const isKey = details.reason !== 'input-paste' && Math.abs(next.length - value.length) <= 1;
          const taken = isKey ? takesKey(next, value) : next;
          if (isChecking || taken !== next) details.cancel();
          if (isChecking || taken === undefined) return;
          onChange(taken);
          if (taken !== next) onComplete?.(taken);
        }}
        onValueComplete={(code) => onComplete?.(code)}
        aria-describedby={describedBy(id, hint, error)}
        className="flex max-w-84 gap-2">
        {places.map((place) => (
          <OTPField.Input
            key={place}
            ref={place === 1 && (focused || refusals > 0) ? takeFocus : undefined}
            aria-label={place === 1 ? undefined : `Digit ${place} of ${length}`}
            aria-invalid={error ? true : undefined}
            // Not `readOnly`, because a phone would then hide its keyboard.
            aria-readonly={isChecking || undefined}
            className={inputClass('tabular min-h-13 min-w-0 px-0! text-center text-xl font-semibold')}
          />
        ))}
      </OTPField.Root>
    </FieldFrame>
  );
}

/**
 * Holds back digits that are typed right after the response to a code. If they form a whole code, it becomes the
 * field's value; fewer digits are dropped after a pause. The returned function takes the field's next and previous
 * value and returns its new value, or undefined for no change.
 */
function useLateKeys(isChecking: boolean, length: number) {
  const lateUntil = useRef(0);
  const held = useRef('');
  useLayoutEffect(() => {
    if (!isChecking) return;
    return () => {
      lateUntil.current = performance.now() + LATE_KEY_MS;
      held.current = '';
    };
  }, [isChecking]);

  return (next: string, before: string): string | undefined => {
    const now = performance.now();
    if (now >= lateUntil.current) return next;
    if (before !== '') return undefined;
    lateUntil.current = now + LATE_KEY_MS;
    held.current += next;
    return held.current.length === length ? held.current : undefined;
  };
}
