import { ArrowLeft, ExternalLink, type LucideIcon, MailWarning } from 'lucide-react';
import { type ComponentProps, type ReactNode, useEffect, useLayoutEffect, useRef } from 'react';
import { Link } from 'react-router';
import { Button, ButtonLink, rememberFocus } from './button.tsx';
import { useBriefly } from './copy.tsx';
import { useDialog, useUnsavedWork } from './dialog.tsx';
import { Callout, Card, classNames } from './display.tsx';
import { isReadable } from './input.tsx';

export function FormPage({ title, lead, children }: { title: string; lead: ReactNode; children: ReactNode }) {
  return (
    <div className="mx-auto w-full max-w-form px-4 py-10 sm:py-14">
      <Card className="grid gap-6 p-6 sm:p-8">
        <div className="grid gap-1">
          <h1 className="text-2xl">{title}</h1>
          <p className="text-muted">{lead}</p>
        </div>
        {children}
      </Card>
    </div>
  );
}

const buttonRows = {
  page: 'grid',
  card: 'flex flex-wrap gap-3',
  dialog: 'flex flex-wrap justify-end gap-3',
  split: 'flex flex-wrap gap-3 *:flex-1 *:last:flex-2',
};

interface FormProps {
  onSubmit(): void;
  isBusy: boolean;
  /** Why the last submit failed, if no field says so. */
  problem?: ReactNode;
  action: ReactNode;
  danger?: boolean;
  disabled?: boolean;
  /** Defaults to `dialog` inside a dialog, and to `page` elsewhere. */
  layout?: keyof typeof buttonRows;
  /** Leaves the form; a string is the path that the Cancel link leads to. */
  onCancel?: (() => void) | string;
  onDiscard?(): void;
  cancel?: string;
  focused?: boolean;
  /** Whether closing would lose entered data: the surrounding dialog then asks first. */
  isFilled?: boolean;
  className?: string;
  children: ReactNode;
}

/** A form with its problem and its buttons below the fields. It is not submitted again while it is busy. */
export function Form({ onSubmit, isBusy, problem, children, className, ...rest }: FormProps) {
  const { action, danger = false, disabled = false, onCancel, cancel = 'Cancel' } = rest;
  const { focused = false, isFilled = false, onDiscard } = rest;
  const dialog = useDialog();
  const layout = rest.layout ?? (dialog ? 'dialog' : 'page');
  // While the form is busy, its data is being sent, so closing loses nothing.
  useUnsavedWork(isFilled && !isBusy);
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (focused) takeFocus(form.current?.querySelector('input:not([hidden]), select, textarea'));
  }, [focused]);
  const cancelButton =
    typeof onCancel === 'string' ? (
      <ButtonLink variant="quiet" to={onCancel} onClick={onDiscard}>
        {cancel}
      </ButtonLink>
    ) : (
      onCancel && (
        <Button
          variant={layout === 'split' ? 'secondary' : 'quiet'}
          onClick={() => (dialog ? dialog.leave(onCancel) : onCancel())}>
          {cancel}
        </Button>
      )
    );
  return (
    <form
      ref={form}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (!isBusy && isReadable(event.currentTarget)) onSubmit();
      }}
      className={classNames('grid gap-4', className)}>
      {children}
      <FormProblem>{problem}</FormProblem>
      <div className={buttonRows[layout]}>
        {layout !== 'card' && cancelButton}
        <Button
          type="submit"
          size={layout === 'page' ? 'lg' : 'md'}
          variant={danger ? 'danger' : 'primary'}
          loading={isBusy}
          disabled={disabled}>
          {action}
        </Button>
        {layout === 'card' && cancelButton}
      </div>
    </form>
  );
}

/** An error of the form as a whole; announced when it appears. */
export function FormProblem({ children }: { children: ReactNode }) {
  return (
    <Callout role="alert" tone="danger" className="wrap-anywhere empty:hidden">
      {children}
    </Callout>
  );
}

/** A message for SuccessMessage that disappears after 3 s. */
export function useSuccess() {
  const [success, showSuccess] = useBriefly<string>(3000);
  return { success, showSuccess };
}

export function SuccessMessage({ children }: { children: string | undefined }) {
  // Stays in the page while empty, because screen readers announce only changes of an existing region.
  return (
    <Callout role="status" tone="success" className="empty:sr-only">
      {children}
    </Callout>
  );
}

/** A heading that takes the focus when it appears, so that screen readers announce what is new. */
export function FocusedHeading({ level: Level, ...heading }: ComponentProps<'h2'> & { level: 'h1' | 'h2' | 'h3' }) {
  const ref = useRef<HTMLHeadingElement>(null);
  useEffect(() => ref.current?.focus(), []);
  return <Level {...heading} ref={ref} tabIndex={-1} className={classNames('outline-none', heading.className)} />;
}

interface NoticeProps {
  icon: LucideIcon;
  tone: 'success' | 'warning';
  title: string;
  children: ReactNode;
}

export function Notice({ icon: Icon, tone, title, children }: NoticeProps) {
  useEffect(() => {
    window.scrollTo({ top: 0 });
  }, []);
  return (
    <div className="mx-auto w-full max-w-reading px-4 py-12">
      <Card className="grid justify-items-center gap-4 p-6 text-center text-balance sm:p-10">
        <span
          className={classNames(
            'grid size-16 place-items-center rounded-full',
            tone === 'success' ? 'bg-success-soft text-success' : 'bg-warning-soft text-warning',
          )}>
          <Icon aria-hidden className="size-8" />
        </span>
        <FocusedHeading level="h1" className="text-2xl">
          {title}
        </FocusedHeading>
        {children}
      </Card>
    </div>
  );
}

interface VerifyEmailProps {
  title: string;
  text: string;
  mailbox: string | null | undefined;
  isSending: boolean;
  isSent: boolean;
  problem: string | null;
  onSend: () => void;
}

export function VerifyEmail({ title, text, mailbox, isSending, isSent, problem, onSend }: VerifyEmailProps) {
  // The button disappears once the mail is sent.
  useLayoutEffect(() => (isSending ? rememberFocus() : undefined), [isSending]);
  return (
    <section
      aria-label="Email verification"
      className="grid w-full justify-items-start gap-3 rounded-md bg-warning-soft p-4 text-left text-warning">
      <div className="flex items-start gap-3">
        <MailWarning aria-hidden className="mt-0.5 size-5 shrink-0" />
        <div className="grid gap-1 wrap-anywhere">
          <h2 className="text-base">{title}</h2>
          <p role="status">{text}</p>
        </div>
      </div>
      <FormProblem>{problem}</FormProblem>
      {isSent ? (
        <MailboxLink path={mailbox} />
      ) : (
        <Button size="sm" variant="secondary" loading={isSending} onClick={onSend}>
          Send verification mail
        </Button>
      )}
    </section>
  );
}

/** Link to the mailbox of a demo, in a new tab, so that the screen that waits for the mail stays open. */
export function MailboxLink({ path }: { path: string | null | undefined }) {
  if (!path) return null;
  return (
    <Callout tone="info" className="text-sm">
      This demo sends no real mail.{' '}
      <a href={path} target="_blank" rel="noopener" className="font-semibold underline">
        Open its mailbox
        <ExternalLink aria-hidden className="ml-1 inline size-4 align-[-0.15em]" />
        <span className="sr-only"> in a new tab</span>
      </a>
    </Callout>
  );
}

export const ReturnLink = ({ to, children }: { to: string; children: ReactNode }) => (
  <Link
    to={to}
    className="inline-flex min-h-11 items-center gap-2 justify-self-start font-semibold text-accent-ink print:hidden">
    <ArrowLeft aria-hidden className="size-5" />
    {children}
  </Link>
);

export const TextLink = ({ className, ...link }: ComponentProps<typeof Link>) => (
  <Link {...link} className={classNames('font-semibold text-accent-ink underline', className)} />
);

/** Focuses an element now, and when a dialog around it opens later: the browser then focuses what has the attribute. */
export function takeFocus(element: HTMLElement | null | undefined): void {
  element?.setAttribute('autofocus', '');
  element?.focus();
}
