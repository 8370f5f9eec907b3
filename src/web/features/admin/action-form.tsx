import type { FormEvent, ReactNode } from 'react';
import { reason } from '../../../shared/inventory.ts';
import { maxLengthOf } from '../../lib/form-fields.ts';
import { Button } from '../../ui/button.tsx';
import { useLeaveDialog, useUnsavedWork } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { FormProblem } from '../../ui/form-page.tsx';

interface ActionFormProps {
  /** On its button. */
  action: string;
  danger?: boolean;
  isBusy: boolean;
  problem: ReactNode;
  onSubmit(): void;
  onCancel(): void;
  children: ReactNode;
  /** Whether something was entered that closing would lose: its dialog then asks first. */
  isFilled?: boolean;
  /** Under the problem: what can be done about it. */
  remedy?: ReactNode;
}

/** What a dialog asks before something is done. */
export function ActionForm(props: ActionFormProps) {
  const { action, danger = false, isBusy, problem, onSubmit, onCancel, children, isFilled = false } = props;
  // What is on its way is not lost with the dialog.
  useUnsavedWork(isFilled && !isBusy);
  const leave = useLeaveDialog();
  function submit(event: FormEvent) {
    event.preventDefault();
    if (!isBusy) onSubmit();
  }
  return (
    <form noValidate onSubmit={submit} className="grid gap-4">
      {children}
      <FormProblem>{problem}</FormProblem>
      {props.remedy}
      <div className="flex flex-wrap justify-end gap-3">
        <Button variant="quiet" onClick={() => leave(onCancel)}>
          Cancel
        </Button>
        <Button type="submit" variant={danger ? 'danger' : 'primary'} loading={isBusy}>
          {action}
        </Button>
      </div>
    </form>
  );
}

interface ReasonFieldProps {
  value: string;
  onChange(value: string): void;
  error: string | undefined;
  /** Takes the focus as its dialog opens. */
  first?: boolean;
  hint?: string | undefined;
}

// A dialog opens only after its content is there: the platform then looks for the attribute.
export const takesFocus = (input: HTMLInputElement | null) => input?.setAttribute('autofocus', '');

export const REASON_MISSING = 'Please give a reason';

export function ReasonField({ value, onChange, error, first = false, hint }: ReasonFieldProps) {
  return (
    <Field
      label="Reason"
      required
      maxLength={maxLengthOf(reason)}
      {...(first && { ref: takesFocus })}
      hint={hint}
      value={value}
      onChange={({ target }) => onChange(target.value)}
      error={error}
    />
  );
}

/** Beside the question whether a product may have the name of another one. */
export function UseNameAgain({ onClick }: { onClick(): void }) {
  return (
    <Button variant="secondary" onClick={onClick} className="justify-self-start">
      Use this name anyway
    </Button>
  );
}
