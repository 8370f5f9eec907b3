import { useMutation } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { reason as reasonText } from '../../../shared/inventory.ts';
import { CallError, messageOf } from '../../lib/api-client.ts';
import { maxLengthOf } from '../../lib/form-fields.ts';
import { useToasts } from '../../state/toasts.tsx';
import { Button } from '../../ui/button.tsx';
import { Dialog, useLeaveDialog, useUnsavedWork } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { FormProblem } from '../../ui/form-page.tsx';
import { useReloadDashboard } from './admin-queries.ts';

interface ActionDialogProps extends Outcome {
  title: string;
  /** On the button that sends it; the title unless given. */
  action?: string;
  isOpen: boolean;
  send(reason: string): Promise<unknown>;
  danger?: boolean;
  /** Whether `send` needs a reason. */
  asksReason?: boolean;
  hint?: string;
  /** What will happen. */
  children: ReactNode;
  onClose(): void;
}

/** Asks before something that cannot be taken back, and by default for a reason; then sends one call. */
export function ActionDialog(props: ActionDialogProps) {
  const { isOpen, onClose, title } = props;
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title={title}>
      {isOpen && <ConfirmForm {...props} />}
    </Dialog>
  );
}

function ConfirmForm(props: ActionDialogProps) {
  const { title, action = title, danger = true, asksReason = true, hint, children, onClose, send } = props;
  const { reason, isMissing, check, field } = useReason();
  const { run, isBusy, problem } = useAction({ onDone: onClose, ...props, send: () => send(reason) });
  function submit() {
    check();
    if (!asksReason || !isMissing) run();
  }
  return (
    <ActionForm
      action={action}
      danger={danger}
      isBusy={isBusy}
      problem={problem}
      onSubmit={submit}
      onCancel={onClose}
      isFilled={!isMissing}>
      {children}
      {asksReason && <ReasonField first hint={hint} {...field} />}
    </ActionForm>
  );
}

interface ActionFormProps {
  /** On its button. */
  action: string;
  danger?: boolean;
  isBusy: boolean;
  problem: ReactNode;
  onSubmit(): void;
  onCancel(): void;
  children: ReactNode;
  /** Whether closing would lose entered data: its dialog then asks first. */
  isFilled?: boolean;
  /** Below the problem: a way to solve it. */
  remedy?: ReactNode;
}

/** The form of a dialog, with its two buttons. */
export function ActionForm(props: ActionFormProps) {
  const { action, danger = false, isBusy, problem, onSubmit, onCancel, children, isFilled = false } = props;
  // Closing does not lose data that is being sent.
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

/** A required reason and the props of its field, whose error appears after `check`. */
export function useReason() {
  const [reason, setReason] = useState('');
  const [isChecked, setIsChecked] = useState(false);
  const isMissing = reason.trim() === '';
  const error = isChecked && isMissing ? 'Please give a reason' : undefined;
  return { reason, isMissing, check: () => setIsChecked(true), field: { value: reason, onChange: setReason, error } };
}

type ReasonInput = ReturnType<typeof useReason>['field'];

interface ReasonFieldProps extends ReasonInput {
  /** Takes the focus as its dialog opens. */
  first?: boolean;
  hint?: string | undefined;
}

export function ReasonField({ value, onChange, error, first = false, hint }: ReasonFieldProps) {
  return (
    <Field
      label="Reason"
      required
      maxLength={maxLengthOf(reasonText)}
      {...(first && { ref: takesFocus })}
      hint={hint}
      value={value}
      onChange={({ target }) => onChange(target.value)}
      error={error}
    />
  );
}

// A dialog opens only after its content is there: the platform then looks for the attribute.
export const takesFocus = (input: HTMLInputElement | null) => input?.setAttribute('autofocus', '');

interface Outcome {
  successMessage: string;
  /** Shown when the server gives no message. */
  errorMessage: string;
  onDone?(): void;
  /** Instead of reading the dashboard again. */
  leave?: (() => Promise<void>) | undefined;
}

const CONFLICT = 409;
const NO_ANSWER = 0;

/** One call that changes an order, an item or a user; busy until the page shows the result. */
export function useAction(options: Outcome & { send(): Promise<unknown> }) {
  const { send, successMessage, errorMessage, onDone, leave } = options;
  const { show } = useToasts();
  const reload = useReloadDashboard();
  const isShown = useRef(false);
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
      show({ type: 'success', message: successMessage });
      onDone?.();
    },
    onError: (failure) => {
      // The dialog was closed meanwhile.
      if (!isShown.current) show({ type: 'error', message: problemOf(failure, errorMessage) });
      // What the page shows is out of date, or may be.
      const { status } = failure as Partial<CallError>;
      if (status === CONFLICT || status === NO_ANSWER) void reload();
    },
  });
  return {
    run: () => action.mutate(),
    isBusy: action.isPending,
    problem: action.isError ? problemOf(action.error, errorMessage) : null,
  };
}

/** The server's message, with the statuses that are allowed instead. */
function problemOf(failure: unknown, errorMessage: string): string {
  const message = messageOf(failure, errorMessage);
  const allowed = failure instanceof CallError ? failure.allowed : undefined;
  if (allowed === undefined) return message;
  return `${message}. ${allowed.length > 0 ? `It can become ${allowed.join(' or ')}.` : 'Its status can no longer change.'}`;
}
