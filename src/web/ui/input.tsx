import { type ComponentProps, type ReactNode, type SyntheticEvent, useState } from 'react';
import { classNames } from './class-names.ts';
import { FieldFrame, type FrameProps, inputClass } from './field.tsx';

export type FieldProps = ComponentProps<'input'> & FrameProps;

/** A labelled input. Spread react-hook-form's `register(...)` into it. */
export function Field({ label, hint, error, optional, className, ...input }: FieldProps) {
  const [isUnreadable, setIsUnreadable] = useState(false);
  const check = ({ currentTarget }: SyntheticEvent<HTMLInputElement>) => setIsUnreadable(isUnread(currentTarget));
  const message = input.pattern === NUMBER ? 'Please enter a number, as in 12 or 12.50' : unreadable[input.type ?? ''];
  const shown = isUnreadable ? (message ?? 'Please check this field') : error;
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

interface SearchFieldProps extends Record<'label' | 'value', string>, Pick<FieldProps, 'placeholder' | 'maxLength'> {
  onChange(value: string): void;
}

export const SearchField = ({ onChange, ...field }: SearchFieldProps) => (
  <Field
    {...field}
    type="search"
    autoComplete="off"
    enterKeyHint="search"
    onChange={({ target }) => onChange(target.value)}
  />
);

interface ProgressFieldProps extends Pick<FrameProps, 'label' | 'hint' | 'error'> {
  value?: number;
  max?: number;
}

// Chromium and Safari draw the bar as two parts, Firefox as one.
const barClass = classNames(
  'h-3 w-full appearance-none overflow-hidden rounded-full bg-sunken',
  '[&::-moz-progress-bar]:bg-accent [&::-webkit-progress-bar]:bg-sunken [&::-webkit-progress-value]:bg-accent',
);

/** A labelled progress bar; without a value it shows only that work goes on. */
export const ProgressField = ({ label, hint, error, ...progress }: ProgressFieldProps) => (
  <FieldFrame label={label} hint={hint} error={error}>
    {({ id }) => <progress id={id} {...progress} className={barClass} />}
  </FieldFrame>
);

/**
 * The `pattern` of a text input for a number. An input of the type "number" drops what it does not know: 1,5 would become 15.
 */
export const NUMBER = String.raw`\s*[+\-]?(\d+\.?\d*|\.\d+)\s*`;

const isUnread = ({ validity }: HTMLInputElement) => validity.badInput || validity.patternMismatch;

// The value of such an input is empty although the user has typed something.
const unreadable: Record<string, string> = {
  date: 'Please complete the date',
  'datetime-local': 'Please complete the date and time',
};

/** Whether the shop can read all inputs of a form. Each input that it cannot read shows an error. */
export function isReadable(form: HTMLFormElement): boolean {
  const unread = [...form.querySelectorAll('input')].filter(isUnread);
  // Fires the event "invalid" at the input.
  for (const input of unread) input.checkValidity();
  return unread.length === 0;
}

/** A checkbox with its label. Spread react-hook-form's `register(...)` into it. */
export const Checkbox = ({ className, children, ...input }: ComponentProps<'input'>) => (
  <label className={classNames('flex min-h-11 items-center gap-3', className)}>
    <input {...input} type="checkbox" className="size-5 shrink-0 accent-accent" />
    {children}
  </label>
);

interface ChoiceProps {
  /** Name of the radio group, of which one choice is checked. */
  name: string;
  checked: boolean;
  onChoose(): void;
  children: ReactNode;
}

/** A radio button with its label. The caller renders the fieldset and legend of the group. */
export const Choice = ({ name, checked, onChoose, children }: ChoiceProps) => (
  <label className="flex min-h-11 items-center gap-3 rounded-md border border-edge px-4 py-2 has-checked:border-accent has-checked:bg-accent-soft has-checked:font-semibold has-checked:text-accent-ink">
    <input type="radio" name={name} checked={checked} onChange={onChoose} className="size-4 shrink-0 accent-accent" />
    <span className="min-w-0 wrap-anywhere">{children}</span>
  </label>
);
