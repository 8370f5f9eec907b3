import { type ComponentProps, type SyntheticEvent, useState } from 'react';
import { FieldFrame, type FrameProps, inputClass } from './field.tsx';

export type FieldProps = ComponentProps<'input'> & FrameProps;

/** A labelled input. Spread react-hook-form's `register(...)` into it. */
export function Field({ label, hint, error, optional, className, ...input }: FieldProps) {
  const [isUnreadable, setIsUnreadable] = useState(false);
  const check = ({ currentTarget }: SyntheticEvent<HTMLInputElement>) =>
    setIsUnreadable(currentTarget.validity.badInput);
  const shown = isUnreadable ? (unreadable[input.type ?? ''] ?? 'Please check this field') : error;
  return (
    <FieldFrame id={input.id} label={label} hint={hint} error={shown} optional={optional}>
      {(control) => (
        <input
          {...input}
          {...control}
          onInput={() => setIsUnreadable(false)}
          onInvalid={check}
          onBlur={(event) => {
            check(event);
            input.onBlur?.(event);
          }}
          className={inputClass(className)}
        />
      )}
    </FieldFrame>
  );
}

// The value of such an input is empty, although something is typed.
const unreadable: Record<string, string> = {
  number: 'Please enter a number',
  date: 'Please complete the date',
  'datetime-local': 'Please complete the date and time',
};

/** Whether the browser can read all inputs of a form. Each input that it cannot read shows an error. */
export function isReadable(form: HTMLFormElement): boolean {
  const unread = [...form.querySelectorAll('input')].filter(({ validity }) => validity.badInput);
  // Fires the event "invalid" at the input.
  for (const input of unread) input.checkValidity();
  return unread.length === 0;
}
