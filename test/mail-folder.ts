import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

export interface WrittenMail {
  /** Of the outbox row; also the file's name. */
  id: string;
  /** Unfolded, in their order, as in `Subject: Your order is ready`. */
  headers: string[];
  to: string;
  subject: string;
  text: string;
  html: string;
  /** The file as it is on disk. */
  source: string;
}

/** The mails a shop without SMTP_URL has written under its data folder, oldest first. */
export async function readMails(dataDir: string): Promise<WrittenMail[]> {
  const folder = join(dataDir, 'mail');
  const names = await readdir(folder).catch(() => []);
  const files = names.filter((name) => name.endsWith('.eml')).sort();
  return Promise.all(
    files.map(async (name) =>
      parseMail(name.replace('.eml', ''), await readFile(join(folder, name), 'utf8')),
    ),
  );
}

function parseMail(id: string, source: string): WrittenMail {
  const [head = ''] = source.split('\r\n\r\n', 1);
  const headers = head.replaceAll(/\r\n[ \t]+/g, ' ').split('\r\n');
  const header = (name: string) =>
    headers.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2) ?? '';
  const part = (type: string) => partOf(source, type);
  return {
    id,
    headers,
    to: header('To'),
    subject: header('Subject'),
    text: part('text/plain'),
    html: part('text/html'),
    source,
  };
}

function partOf(source: string, type: string): string {
  const [, encoding, body = ''] =
    new RegExp(
      `Content-Type: ${type}[^]*?Content-Transfer-Encoding: (\\S+)[^]*?\\r\\n\\r\\n([^]*?)\\r\\n--`,
    ).exec(source) ?? [];
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString();
  return encoding === 'quoted-printable' ? decodeQuotedPrintable(body) : body;
}

function decodeQuotedPrintable(body: string): string {
  const bytes = body
    .replaceAll(/=\r\n/g, '')
    .replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString();
}
