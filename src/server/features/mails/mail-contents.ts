import type { Deps } from '../../deps.ts';
import type { Transaction } from '../../platform/database/open-database.ts';
import type { MailKind } from './enqueue-mail.ts';
import type { MailContent } from './mail-layout.ts';
import type { MailRow } from './mails.queries.ts';

/**
 * What each kind of mail says: told by the feature whose matter it is, when the mail is sent and in the transaction that
 * marks it sent. A link or code that the mail carries is made there too, so that only its hash is ever stored. Undefined
 * when there turns out to be nothing to say: then nothing is sent.
 */
export type MailContents = Record<
  MailKind,
  (deps: Pick<Deps, 'clock' | 'config'>, trx: Transaction, mail: MailRow) => Promise<MailContent | undefined>
>;
