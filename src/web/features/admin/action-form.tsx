import { useMutation } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { reason } from '../../../shared/inventory.ts';
import { CallError, messageOf } from '../../lib/api-client.ts';
import { maxLengthOf } from '../../lib/form-fields.ts';
import { useToasts } from '../../state/toasts.tsx';
import { Button } from '../../ui/button.tsx';
import { useLeaveDialog, useUnsavedWork } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { FormProblem } from '../../ui/form-page.tsx';
import { useReloadDashboard } from './admin-queries.ts';

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

interface ReasonFormProps {
  action: string;
  said: string;
  fallback: string;
  send(reason: string): Promise<unknown>;
  onDone(): void;
  onCancel(): void;
  hint?: string;
  /** What will happen. */
  children: ReactNode;
}

/** Confirms what cannot be taken back, and asks why. */
export function ReasonForm(props: ReasonFormProps) {
  const { action, said, fallback, send, onDone, onCancel, hint, children } = props;
  const [reason, setReason] = useState('');
  const [isChecked, setIsChecked] = useState(false);
  const isMissing = reason.trim() === '';
  const { run, isBusy, problem } = useAction({ send: () => send(reason), said, fallback, onDone });

  function submit() {
    setIsChecked(true);
    if (!isMissing) run();
  }

  return (
    <ActionForm
      action={action}
      danger
      isBusy={isBusy}
      problem={problem}
      onSubmit={submit}
      onCancel={onCancel}
      isFilled={!isMissing}
    >
      {children}
      <ReasonField
        first
        hint={hint}
        value={reason}
        onChange={setReason}
        error={isChecked && isMissing ? REASON_MISSING : undefined}
      />
    </ActionForm>
  );
}

const CONFLICT = 409;
const NO_ANSWER = 0;

/** The server's words, with what may be done instead. */
function problemOf(failure: unknown, fallback: string): string {
  const words = messageOf(failure, fallback);
  const allowed = failure instanceof CallError ? failure.allowed : undefined;
  if (allowed === undefined) return words;
  return `${words}. ${allowed.length > 0 ? `It can become ${allowed.join(' or ')}.` : 'Its status can no longer change.'}`;
}

interface Action<Input> {
  send(input: Input): Promise<unknown>;
  /** Said when it is done. */
  said: string;
  /** Said when the shop refuses without words. */
  fallback: string;
  onDone?(): void;
  /** In place of showing what became of it. */
  leave?: (() => Promise<void>) | undefined;
}

/** Something done to an order, an item or a user: busy until the page shows what became of it. */
export function useAction<Input = void>({ send, said, fallback, onDone, leave }: Action<Input>) {
  const { show } = useToasts();
  const reload = useReloadDashboard();
  const isShown = useRef(true);
  useEffect(() => {
    isShown.current = true;
    return () => {
      isShown.current = false;
    };
  }, []);
  const action = useMutation({
    mutationFn: send,
    onSuccess: async () => {
      await (leave ?? reload)();
      show({ type: 'success', message: said });
      onDone?.();
    },
    onError: (failure) => {
      // Its dialog was closed meanwhile.
      if (!isShown.current) show({ type: 'error', message: problemOf(failure, fallback) });
      // It is not any more what this page was made from, or may not be.
      const { status } = failure as Partial<CallError>;
      if (status === CONFLICT || status === NO_ANSWER) void reload();
    },
  });
  return {
    run: (input: Input) => {
      if (!action.isPending) action.mutate(input);
    },
    isBusy: action.isPending,
    problem: action.isError ? problemOf(action.error, fallback) : null,
  };
}
