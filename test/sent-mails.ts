import { sql } from 'kysely';
import { vi } from 'vitest';
import { mailContents } from '../src/server/background-work.ts';
import { sendMail } from '../src/server/features/mails/send-mail.ts';
import { readMails, type WrittenMail } from './mail-folder.ts';
import type { TestShop } from './test-shop.ts';

/** Sends every waiting mail to an address without waiting for its job; returns all mails to it, oldest first. */
export async function mailsTo(shop: TestShop, recipient: string): Promise<WrittenMail[]> {
  const { deps } = shop;
  const waiting = await deps.db
    .selectFrom('mails')
    .select('id')
    .where('recipient', '=', recipient)
    .where('sent_at', 'is', null)
    .orderBy('id')
    .execute();
  for (const { id } of waiting) await sendNow(shop, id);
  return (await readMails(deps.config.dataDir)).filter(({ to }) => to === recipient);
}

/** Sends a mail unless it was sent. Retries, as the shop's own job may be sending the mail now. */
export const sendNow = ({ deps }: TestShop, mailId: string): Promise<void> =>
  vi.waitFor(() => sendMail(deps, mailContents, { mailId }), { timeout: 15_000, interval: 20 });

/** Does something while a slow mail server takes a mail. Returns its result, after the mail was sent. */
export async function whileSending<T>(shop: TestShop, mailId: string, work: () => Promise<T>): Promise<T> {
  const [begun, slow] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const send = () => {
    begun.resolve();
    return slow.promise;
  };
  const sending = sendMail({ ...shop.deps, mail: { send } }, mailContents, { mailId });
  await Promise.race([begun.promise, sending]);
  const result = await work().finally(() => slow.resolve());
  await sending;
  return result;
}

/** Returns the id of the unsent mail to an address. */
export const unsentMailTo = async ({ deps }: TestShop, recipient: string): Promise<string> =>
  (
    await deps.db
      .selectFrom('mails')
      .select('id')
      .where('recipient', '=', recipient)
      .where('sent_at', 'is', null)
      .executeTakeFirstOrThrow()
  ).id;

/** Delays all new jobs by a day, so that each mail waits until mailsTo() sends it, however slow the test is. */
export async function holdMailJobs({ deps }: TestShop): Promise<void> {
  await sql`
    CREATE OR REPLACE FUNCTION hold_job() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      NEW.start_after := now() + interval '1 day';
      RETURN NEW;
    END $$`.execute(deps.db);
  await sql`CREATE OR REPLACE TRIGGER hold_job BEFORE INSERT ON jobs.job FOR EACH ROW EXECUTE FUNCTION hold_job()`.execute(
    deps.db,
  );
}

/** Returns the token of the link to `page` in the latest mail to an address. */
export async function linkTokenTo(shop: TestShop, recipient: string, page: string): Promise<string> {
  const mail = (await mailsTo(shop, recipient)).at(-1);
  const token = new RegExp(`${shop.deps.config.publicUrl}${page}\\?token=([\\w-]{43})\\b`).exec(mail?.text ?? '');
  if (!token?.[1]) throw new Error(`The latest mail to ${recipient}, ${mail?.subject}, has no link to ${page}`);
  return token[1];
}
