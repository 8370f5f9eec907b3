import { MailWarning } from 'lucide-react';
import { Button } from './button.tsx';
import { FormProblem } from './form-page.tsx';
import { MailboxLink } from './mailbox-link.tsx';

interface VerifyEmailProps {
  title: string;
  text: string;
  mailbox: string | null | undefined;
  isSending: boolean;
  isSent: boolean;
  problem: string | null;
  onSend: () => void;
}

/** Asks for the proof of an e-mail address, with a button that mails the link. */
export function VerifyEmail({ title, text, mailbox, isSending, isSent, problem, onSend }: VerifyEmailProps) {
  return (
    <section
      aria-label="E-mail verification"
      className="grid w-full justify-items-start gap-3 rounded-md bg-warning-soft p-4 text-left text-warning"
    >
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
