import { Eye, EyeOff } from 'lucide-react';
import { type ComponentProps, type FocusEvent, type ReactNode, useRef, useState } from 'react';
import type { FormState } from 'react-hook-form';
import { classNames } from './class-names.ts';
import { FieldFrame, inputClass, useFieldError } from './field.tsx';
import { Field, type FieldProps } from './input.tsx';
import { suggestEmail } from './suggest-email.ts';

/** A labelled password that can be shown while it is typed. */
export function PasswordField({ label, hint, error, optional, className, ...input }: FieldProps) {
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
            aria-label="Show password"
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

interface EmailFieldProps extends FieldProps {
  /** Puts the suggested e-mail into the field. */
  onTake(email: string): void;
}

/** A field for an e-mail. When it loses the focus, it suggests a correction for a likely typo in the domain. */
export function EmailField({ onTake, onBlur, onChange, ...field }: EmailFieldProps) {
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

/** A labelled text of several lines, in its own direction. Spread react-hook-form's `register(...)` into it. */
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
