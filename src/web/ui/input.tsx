import { Eye, EyeOff } from 'lucide-react';
import { type ComponentProps, type FocusEvent, type ReactNode, type SyntheticEvent, useRef, useState } from 'react';
import type { FormState } from 'react-hook-form';
import { classNames } from './display.tsx';
import { FieldFrame, type FrameProps, inputClass, useFieldError } from './field.tsx';
import { suggestEmail } from './suggest-email.ts';

type FieldProps = ComponentProps<'input'> & FrameProps;

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

export const SearchField = ({
  onChange,
  ...field
}: Omit<FieldProps, 'onChange'> & { onChange(typed: string): void }) => (
  <Field
    {...field}
    type="search"
    autoComplete="off"
    enterKeyHint="search"
    onChange={({ target }) => onChange(target.value)}
  />
);

// Chromium and Safari draw the bar as two parts, Firefox as one.
const barClass = classNames(
  'h-3 w-full appearance-none overflow-hidden rounded-full bg-sunken',
  '[&::-moz-progress-bar]:bg-accent [&::-webkit-progress-bar]:bg-sunken [&::-webkit-progress-value]:bg-accent',
);

/** A labelled progress bar; without a value it shows only that work goes on. */
export const ProgressField = ({ label, hint, error, ...progress }: FrameProps & ComponentProps<'progress'>) => (
  <FieldFrame label={label} hint={hint} error={error}>
    {({ id }) => <progress id={id} {...progress} className={barClass} />}
  </FieldFrame>
);

/** The `pattern` of a number. An input of the type "number" drops what it does not know: 1,5 would become 15. */
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

export const Checkbox = ({ className, children, ...input }: ComponentProps<'input'>) => (
  <label className={classNames('flex min-h-11 items-center gap-3', className)}>
    <input {...input} type="checkbox" className="size-5 shrink-0 accent-accent" />
    {children}
  </label>
);

interface ChoiceProps {
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

export function PasswordField({ label, hint, error, optional, className, ...input }: FieldProps & { label: string }) {
  const [shown, setShown] = useState(false);
  const Icon = shown ? EyeOff : Eye;
  return (
    <FieldFrame id={input.id} label={label} hint={hint} error={error} optional={optional}>
      {(control) => (
        <div className="relative">
          <input
            {...input}
            {...control}
            type={shown ? 'text' : 'password'}
            spellCheck={false}
            autoCapitalize="none"
            className={inputClass(classNames('pr-12', className))}
          />
          <button
            type="button"
            aria-label={`Show ${label.toLowerCase()}`}
            aria-pressed={shown}
            onClick={() => setShown(!shown)}
            className="absolute inset-y-0 right-0 grid w-11 place-items-center rounded-md text-muted hover:text-ink">
            <Icon aria-hidden className="size-5" />
          </button>
        </div>
      )}
    </FieldFrame>
  );
}

type PasswordName = 'password' | 'confirmPassword';

interface NewPasswordFieldsProps {
  fields: {
    register(name: PasswordName, options?: { deps: PasswordName[] }): object;
    formState: Pick<FormState<Record<PasswordName, string>>, 'errors' | 'touchedFields'>;
  };
  labels?: [password: string, confirmPassword: string];
  hint?: ReactNode;
  maxLength: number;
  readOnly?: boolean;
}

export function NewPasswordFields({ fields, labels, hint, ...input }: NewPasswordFieldsProps) {
  const { errors, touchedFields } = fields.formState;
  const [password, confirmPassword] = labels ?? ['Password', 'Confirm Password'];
  const shared = { ...input, autoComplete: 'new-password', required: true };
  // A changed password may match a confirmation that did not match before, so the confirmation is checked again.
  const first = fields.register('password', { deps: touchedFields.confirmPassword ? ['confirmPassword'] : [] });
  const second = fields.register('confirmPassword');
  return (
    <>
      <PasswordField {...shared} {...first} label={password} hint={hint} error={errors.password?.message} />
      <PasswordField {...shared} {...second} label={confirmPassword} error={errors.confirmPassword?.message} />
    </>
  );
}

/** A field for an e-mail. When it loses the focus, it suggests a correction for a likely typo in the domain. */
export function EmailField({ onTake, onBlur, onChange, ...field }: FieldProps & { onTake(email: string): void }) {
  const frame = useRef<HTMLDivElement>(null);
  const [meant, setMeant] = useState<string>();
  // Like an error, a suggestion does not appear while the mouse button is down.
  const suggestion = useFieldError(meant, frame);

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
        {suggestion && (
          <>
            Did you mean{' '}
            <button
              type="button"
              className="min-h-6 font-semibold text-accent-ink underline wrap-anywhere"
              onClick={() => {
                setMeant(undefined);
                onTake(suggestion);
                // The pressed button disappears.
                frame.current?.querySelector('input')?.focus();
              }}>
              {suggestion}
            </button>
            ?
          </>
        )}
      </p>
    </div>
  );
}

type TextAreaProps = ComponentProps<'textarea'> & Pick<FieldProps, 'label' | 'hint' | 'error' | 'optional'>;

export const TextArea = ({ label, hint, error, optional, className, ...area }: TextAreaProps) => (
  <FieldFrame id={area.id} label={label} hint={hint} error={error} optional={optional}>
    {(control) => (
      <textarea
        rows={4}
        dir="auto"
        {...area}
        {...control}
        className={inputClass(classNames('resize-y py-2.5', className))}
      />
    )}
  </FieldFrame>
);
