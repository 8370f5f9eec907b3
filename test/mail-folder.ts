import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import PostalMime from 'postal-mime';

/** A mail as a mail program parses it. */
export interface ParsedMail {
  /** In their original sequence, such as `Message-ID: <...>`. */
  headers: string[];
  from: string;
  to: string;
  subject: string;
  text: string;
  html: string;
  /** The raw message. */
  source: string;
}

export interface WrittenMail extends ParsedMail {
  /** Id of the outbox row; also the file's name without `.eml`. */
  id: string;
}

/** Returns the mails that a shop without SMTP_URL has written under its data folder, oldest first. */
export async function readMails(dataDir: string): Promise<WrittenMail[]> {
  const folder = join(dataDir, 'mail');
  const names = await readdir(folder).catch(() => []);
  const files = names.filter((name) => name.endsWith('.eml')).sort();
  return Promise.all(
    files.map(async (name) => ({
      id: name.replace('.eml', ''),
      ...(await parseMail(await readFile(join(folder, name), 'utf8'))),
    })),
  );
}

export async function parseMail(source: string): Promise<ParsedMail> {
  const { headers, from, to, subject = '', text = '', html = '' } = await PostalMime.parse(source);
  return {
    headers: headers.map(({ originalKey, value }) => `${originalKey}: ${value}`),
    from: from?.address ?? '',
    to: to?.map(({ address }) => address).join(', ') ?? '',
    subject,
    // The parser appends a line break to both parts.
    text: text.replace(/\n$/, ''),
    html: html.replace(/\n$/, ''),
    source,
  };
}
