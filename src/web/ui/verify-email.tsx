import { ExternalLink, MailWarning } from 'lucide-react';
import { Button } from './button.tsx';
import { Callout } from './display.tsx';
import { FormProblem } from './form-page.tsx';

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
