import { useMutation } from '@tanstack/react-query';
import { type ChangeEvent, type ReactNode, useState } from 'react';
import { v7 as uuidv7 } from 'uuid';
import { reason as reasonText } from '../../../shared/inventory.ts';
import { CallError, codeOf, messageOf } from '../../lib/api-client.ts';
import { maxLengthOf } from '../../lib/form-fields.ts';
import { useKeptState } from '../../lib/forms.ts';
import { isAnswerLost, isSentBefore, useLateAnswer } from '../../state/answers.ts';
import { useSession } from '../../state/session.tsx';
import { useToasts } from '../../state/toasts.tsx';
import { rememberFocus } from '../../ui/button.tsx';
import { Dialog, useDialog } from '../../ui/dialog.tsx';
import { Form } from '../../ui/form-page.tsx';
import { Field } from '../../ui/input.tsx';
import { useReloadDashboard } from './dashboard.ts';

interface ActionDialogProps extends Outcome {
  title: string;
  action?: string;
  cancel?: string;
  isOpen: boolean;
  send(reason: string, idempotencyKey: string): Promise<unknown>;
  danger?: boolean;
  asksReason?: boolean;
  hint?: string;
  /** Id of what the action is about, if a typed reason is kept when the session ends. */
  about?: string | undefined;
  isFilled?: boolean;
  /** Checks fields in `children`; false keeps the form from being sent. */
  checkFields?(): boolean;
  children: ReactNode;
  onClose(): void;
}

/** Asks for a confirmation, and by default for a reason, and then makes one API call. */
export const ActionDialog = (props: ActionDialogProps) => (
  <Dialog {...props}>
    <ConfirmForm {...props} />
  </Dialog>
);

function ConfirmForm(props: ActionDialogProps) {
  const { title, action = title, danger = true, asksReason = true, hint, about, children, onClose, send } = props;
  const { cancel = 'Cancel', isFilled = false, checkFields } = props;
  const keepAs = useKeepAs(`${title} reason`, about);
  const { reason, isMissing, check, field } = useReason(hint, keepAs);
  const { run, ...form } = useAction({ onDone: onClose, ...props, send: (key) => send(reason, key) });
  function submit() {
    const isReasonGiven = check() || !asksReason;
    const areFieldsRight = checkFields?.() ?? true;
    if (isReasonGiven && areFieldsRight) run();
  }
  return (
    <Form
      {...form}
      action={action}
      danger={danger}
      cancel={cancel}
      onSubmit={submit}
      onCancel={onClose}
      focused={asksReason}
      isFilled={!isMissing || isFilled}>
      {children}
      {asksReason && field}
    </Form>
  );
}

/** Returns the `keepAs` of a field of the user's form about something with this id; undefined without an id. */
export function useKeepAs(field: string, about: string | undefined): string | undefined {
  const { user } = useSession();
  return about && `${field} ${user?._id} ${about}`;
}

/** Returns a required reason and its field, whose error appears only after `check`. `keepAs`: see `useKeptForm`. */
export function useReason(hint?: string, keepAs?: string) {
  const { text: reason, field, ...rest } = useRequiredText('Please give a reason', keepAs);
  return {
    ...rest,
    reason,
    field: <Field {...field} label="Reason" maxLength={maxLengthOf(reasonText)} hint={hint} />,
  };
}

/**
 * Returns a required text and the props of its field. `check` returns whether the text is not blank. After the first
 * check, the field shows the error `missing` while the text is blank. `keepAs`: see `useKeptForm`. On a page the text is a
 * draft, because only a dialog asks before it closes. So `clear` it as soon as it is sent: the page may be left by then.
 */
export function useRequiredText(missing: string, keepAs?: string) {
  const [text, setText, forget] = useKeptState(keepAs, '', useDialog() === null);
  const [isChecked, setIsChecked] = useState(false);
  const isMissing = text.trim() === '';
  const field = {
    required: true,
    value: text,
    onChange: ({ target }: ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) => setText(target.value),
    error: isChecked && isMissing ? missing : undefined,
  };
  function check(): boolean {
    setIsChecked(true);
    return !isMissing;
  }
  function clear() {
    setText('');
    setIsChecked(false);
    forget();
  }
  return { text, isMissing, check, clear, field };
}

interface Outcome {
  successMessage: string;
  errorMessage: string;
  onDone?(): void;
  /** Called after a success instead of the reload of the dashboard. */
  leave?: (() => Promise<void>) | undefined;
  onFailure?(failure: Error): void;
}

interface ActionOptions extends Outcome {
  send(idempotencyKey: string): Promise<unknown>;
}

const CONFLICT = 409;

const LOST_ANSWER = 'The answer was lost. Please check whether the change was made before you try again.';

const MADE_BEFORE = 'Your first try, whose answer was lost, may have made the change: please check.';

/**
 * Makes one API call that changes data of the shop. `isBusy` stays true until the page shows the result. If the pressed
 * button is gone by then, the focus stays in the page. `send` gets an idempotency key, so that a retry after a lost
 * response has no second effect. The key changes when the call succeeds, or when the shop rejects it as used before
 * with other values.
 */
export function useAction(options: ActionOptions) {
  const { send, successMessage, errorMessage, onDone, leave, onFailure } = options;
  const { show } = useToasts();
  const reload = useReloadDashboard();
  const { isShown, showLate } = useLateAnswer();
  const [idempotencyKey, setIdempotencyKey] = useState(() => uuidv7());
  const [wasAnswerLost, setWasAnswerLost] = useState(false);
  function problemOf(failure: Error): string {
    const message = messageOf(failure, isAnswerLost(failure) ? LOST_ANSWER : errorMessage);
    if (wasAnswerLost && codeOf(failure) === 'ITEM_NOT_AVAILABLE') return `${message}. ${MADE_BEFORE}`;
    const allowed = failure instanceof CallError ? failure.allowed : undefined;
    if (allowed === undefined) return message;
    return `${message}. ${allowed.length > 0 ? `It can become ${allowed.join(' or ')}.` : 'Its status can no longer change.'}`;
  }
  const { mutate, isPending, error } = useMutation({
    mutationFn: (_pressed: { message: string; restoreFocus(): void }) => send(idempotencyKey),
    onSuccess: async (_answer, { message, restoreFocus }) => {
      setIdempotencyKey(uuidv7());
      setWasAnswerLost(false);
      await (leave ?? reload)();
      show({ type: 'success', message });
      // If the dialog was closed meanwhile, another dialog may be open, which must not be closed.
      if (isShown.current) onDone?.();
      restoreFocus();
    },
    onError: (failure, { restoreFocus }) => {
      if (isSentBefore(failure)) setIdempotencyKey(uuidv7());
      if (isAnswerLost(failure)) setWasAnswerLost(true);
      // After a conflict the page is out of date. After a lost response it may be.
      const isStale = isAnswerLost(failure) || (failure instanceof CallError && failure.status === CONFLICT);
      onFailure?.(failure);
      const reloaded = isStale ? reload().finally(restoreFocus) : undefined;
      showLate(problemOf(failure), reloaded);
    },
  });
  // Passes the message from the time of the click. The page may show the change before the response arrives, which
  // alters the message.
  const run = () => mutate({ message: successMessage, restoreFocus: rememberFocus() });
  return { run, isBusy: isPending, problem: error && problemOf(error) };
}

interface TextFormOptions extends Outcome {
  /** The error of an empty field. */
  missing: string;
  /** See `useRequiredText`. */
  keepAs?: string | undefined;
  send(text: string, idempotencyKey: string): Promise<unknown>;
}

/** A form with one required text, which one call sends. Spread `form` into ui's Form, and `field` into its field. */
export function useTextForm({ missing, keepAs, send, ...outcome }: TextFormOptions) {
  const { text, isMissing, check, clear, field } = useRequiredText(missing, keepAs);
  const { run, ...form } = useAction({
    ...outcome,
    send: async (idempotencyKey) => {
      await send(text, idempotencyKey);
      clear();
    },
  });
  function submit() {
    if (check()) run();
  }
  return { field, form: { ...form, onSubmit: submit, isFilled: !isMissing } };
}

/**
 * Returns what a form is about, and `onFailure` for useAction. After a lost answer the page is loaded again. If the change
 * that it shows leaves nothing to do, the form stays about what was sent: another press sends the same again, and succeeds.
 */
export function useAsSent<T>(latest: T, isDone: boolean): [shown: T, onFailure: (failure: Error) => void] {
  const [sent, setSent] = useState<{ shown: T }>();
  const shown = sent && isDone ? sent.shown : latest;
  return [shown, (failure) => setSent(isAnswerLost(failure) ? { shown } : undefined)];
}

/**
 * Returns the version to save over: the one that the form showed first, because a reload in the background may show a newer
 * one unnoticed. After a conflict, which names the newer version, it is the next one that is loaded. After a lost answer the
 * version stays, as another administrator may have saved meanwhile. `saved` starts again from the version that is shown.
 */
export function useSeenVersion(newest: number | undefined) {
  const [seen, setSeen] = useState({ version: newest, isOutdated: false });
  const { version = newest, isOutdated } = seen;
  if (seen.version === undefined ? newest !== undefined : isOutdated && newest !== version) {
    setSeen({ version: newest, isOutdated: false });
  }
  return {
    version,
    onFailure: (failure: Error) => setSeen({ version, isOutdated: codeOf(failure) === 'EDIT_CONFLICT' }),
    saved: () => setSeen({ version: undefined, isOutdated: false }),
  };
}
