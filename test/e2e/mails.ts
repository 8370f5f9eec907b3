import { expect, type Page } from '@playwright/test';
import { readMails, type WrittenMail } from '../mail-folder.ts';
import type { RealShop } from './real-shop.ts';

/** Waits for a mail to an address with this subject, later than `after`; returns the latest. */
export async function mailTo(
  { dataDir }: Pick<RealShop, 'dataDir'>,
  { email, subject, after }: { email: string; subject: RegExp; after?: WrittenMail },
): Promise<WrittenMail> {
  let mail: WrittenMail | undefined;
  await expect(async () => {
    const mails = await readMails(dataDir);
    mail = mails.filter(({ to, subject: said }) => to.includes(email) && subject.test(said)).at(-1);
    expect(mail?.id).not.toBe(after?.id);
  }).toPass();
  if (mail === undefined) throw new Error(`${email} got no mail`);
  return mail;
}

/** Opens a mail's link in the shop under test, whatever public URL is configured there. */
export async function openLink(page: Page, mail: WrittenMail): Promise<string> {
  const [link = ''] = /https?:\/\/\S+\?token=\S+/.exec(mail.text) ?? [];
  const { pathname, search, searchParams } = new URL(link);
  await page.goto(pathname + search);
  return searchParams.get('token') ?? '';
}

/** Returns the code of a mail that has one on a line of its own. */
export const codeIn = (mail: WrittenMail): string => /^\s*(\d{6})\s*$/m.exec(mail.text)?.[1] ?? '';
