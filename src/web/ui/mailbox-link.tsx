import { ExternalLink } from 'lucide-react';

/** Where a demo's mails are read. In a tab of its own, as the screen that awaits the mail must stay. */
export function MailboxLink({ path }: { path: string | null | undefined }) {
  if (!path) return null;
  return (
    <p className="rounded-md bg-info-soft px-4 py-3 text-sm text-info">
      This demo sends no mail into the world.{' '}
      <a href={path} target="_blank" rel="noopener" className="font-semibold underline">
        Open its mailbox
        <ExternalLink aria-hidden className="ml-1 inline size-4 align-[-0.15em]" />
        <span className="sr-only"> in a new tab</span>
      </a>
    </p>
  );
}
