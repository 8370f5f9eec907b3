import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { mailFolder } from '../platform/mail/mail-transport.ts';

export interface ReadMail {
  id: string;
  subject: string;
  to: string;
  date: Date;
  text: string;
  html: string;
}

// Only ids of this form become part of a path.
const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const ENDING = '.eml';

/** The newest mails that the shop has written under its data folder, the latest first. */
export async function listMails(dataDir: string, limit: number): Promise<ReadMail[]> {
  const names = await readdir(mailFolder(dataDir)).catch(() => []);
  // The ids are UUIDs of version 7, which sort by the time of their creation.
  const ids = names.filter((name) => name.endsWith(ENDING)).map((name) => name.slice(0, -ENDING.length));
  const newest = ids.sort().reverse().slice(0, limit);
  const mails = await Promise.all(newest.map((id) => findMail(dataDir, id)));
  return mails.filter((mail) => mail !== undefined);
}

export async function findMail(dataDir: string, id: string): Promise<ReadMail | undefined> {
  if (!ID.test(id)) return undefined;
  const source = await readFile(join(mailFolder(dataDir), `${id}${ENDING}`)).catch(() => undefined);
  if (source === undefined) return undefined;
  // Loaded at the first use, because few people read mails here.
  const { default: PostalMime } = await import('postal-mime');
  const { subject = '', to, date, text = '', html = '' } = await PostalMime.parse(source);
  return { id, subject, to: to?.[0]?.address ?? '', date: new Date(date ?? 0), text, html };
}
