import { Eye, EyeOff } from 'lucide-react';
import { type ReactNode, useId, useState } from 'react';
import { describedBy, FieldFrame, type FieldProps, inputClass } from './field.tsx';

/** A labelled password that can be shown while it is typed. */
export function PasswordField({ label, hint, error, optional = false, className, ...input }: FieldProps) {
  const [shown, setShown] = useState(false);
  const ownId = useId();
  const id = input.id ?? ownId;
  const Icon = shown ? EyeOff : Eye;
  return (
    <FieldFrame id={id} label={label} hint={hint} error={error} optional={optional}>
      <div className="relative">
        <input
          {...input}
          id={id}
          type={shown ? 'text' : 'password'}
          spellCheck={false}
          autoCapitalize="none"
          aria-invalid={error ? true : undefined}
          aria-describedby={describedBy(id, hint, error)}
          className={inputClass(`pr-12 ${className ?? ''}`)}
        />
        <button
          type="button"
          aria-label="Show password"
          aria-pressed={shown}
          onClick={() => setShown(!shown)}
          className="absolute inset-y-0 right-0 grid w-11 place-items-center rounded-md text-muted hover:text-ink"
        >
          <Icon aria-hidden className="size-5" />
        </button>
      </div>
    </FieldFrame>
  );
}

type PasswordName = 'password' | 'confirmPassword';

interface NewPasswordFieldsProps {
  /** react-hook-form's. */
  register(name: PasswordName, options?: { deps: PasswordName[] }): object;
  formState: {
    errors: { [Name in PasswordName]?: { message?: string | undefined } | undefined };
    touchedFields: { [Name in PasswordName]?: boolean | undefined };
  };
  labels?: [password: string, confirmPassword: string];
  hint?: ReactNode;
  maxLength: number;
  readOnly?: boolean;
}

/** The two fields of a form in which a new password is chosen. */
export function NewPasswordFields({
  register,
  formState: { errors, touchedFields },
  labels = ['Password', 'Confirm Password'],
  hint,
  ...input
}: NewPasswordFieldsProps) {
  const shared = { ...input, autoComplete: 'new-password', required: true };
  return (
    <>
      <PasswordField
        {...shared}
        // A change of the first password may make the second one right.
        {...register('password', { deps: touchedFields.confirmPassword ? ['confirmPassword'] : [] })}
        label={labels[0]}
        hint={hint}
        error={errors.password?.message}
      />
      <PasswordField
        {...shared}
        {...register('confirmPassword')}
        label={labels[1]}
        error={errors.confirmPassword?.message}
      />
    </>
  );
}
