import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readMails } from '../../../../test/mail-folder.ts';
import { createMailTransport, type MailMessage, MailRefused } from './mail-transport.ts';

let dataDir: string;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'kedai-mail-'));
});
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

const mailFrom = { name: 'Kedai: "the shop"', address: 'orders@shop.example' };

function message(change: Partial<MailMessage> = {}): MailMessage {
  return {
    id: randomUUID(),
    to: 'buyer@example.com',
    subject: 'Your order is ready',
    text: 'Plain: naïve = yes\n.\nend',
    html: '<p>Rich: naïve</p>',
    ...change,
  };
}

describe('without SMTP_URL', () => {
  const transport = () => createMailTransport({ smtpUrl: undefined, dataDir, mailFrom });

  test('a message becomes a file that a mail program opens', async () => {
    const sent = message();
    await transport().send(sent);
    const [mail] = await readMails(dataDir);
    expect(mail).toMatchObject({ id: sent.id, to: sent.to, subject: sent.subject, html: sent.html });
    expect(mail?.text.replaceAll('\r\n', '\n')).toBe(sent.text);
    expect(mail?.headers).toEqual(
      expect.arrayContaining([
        'From: "Kedai: \\"the shop\\"" <orders@shop.example>',
        `Message-ID: <${sent.id}@shop.example>`,
        'Auto-Submitted: auto-generated',
      ]),
    );
  });

  test('sent again, it is still one file, and only its owner can read it', async () => {
    const sent = message();
    await transport().send(sent);
    await transport().send({ ...sent, text: 'second' });
    const folder = join(dataDir, 'mail');
    expect(readdirSync(folder)).toEqual([`${sent.id}.eml`]);
    expect((await readMails(dataDir))[0]?.text).toContain('second');
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(statSync(join(folder, `${sent.id}.eml`)).mode & 0o777).toBe(0o600);
  });

  test.each([
    'Hi\r\nBcc: all@example.com',
    'Hi\nX-Evil: 1\n\nbody',
    'Hi\u2028Bcc: all@example.com',
    'Hi\u0000\u0007there',
  ])('a subject adds no header: %j', async (subject) => {
    await transport().send(message({ subject }));
    const [mail] = await readMails(dataDir);
    const names = mail?.headers.map((line) => line.slice(0, line.indexOf(':')));
    expect(names?.toSorted()).toEqual(
      [
        'Auto-Submitted',
        'Content-Type',
        'Date',
        'From',
        'MIME-Version',
        'Message-ID',
        'Subject',
        'To',
      ].toSorted(),
    );
  });

  test.each([
    'buyer@example.com\r\nBcc: all@example.com',
    'buyer@example.com, all@example.com',
    'buyer@example.com;all@example.com',
    '<buyer@example.com> all@example.com',
    'Group: a@example.com;',
    '"a b"@example.com',
    'a@b@example.com',
    'buyer@[10.0.0.1]',
    ' ',
    '',
  ])('a recipient is exactly one address: %j', async (to) => {
    await expect(transport().send(message({ to }))).rejects.toThrow(MailRefused);
    expect(await readMails(dataDir)).toEqual([]);
  });

  test('text that looks like a file or an address is not fetched', async () => {
    await transport().send(message({ text: 'file:///etc/passwd', html: '<img src="/etc/passwd">' }));
    expect((await readMails(dataDir))[0]?.html).toBe('<img src="/etc/passwd">');
  });
});

describe('with SMTP_URL', () => {
  let server: Server | undefined;
  afterEach(() => server?.close());

  /** A mail server's side of the conversation; `replies` overrides what it says to a command. */
  async function mailServer(replies: Record<string, string> = {}): Promise<{ url: string; heard: string[] }> {
    const heard: string[] = [];
    server = createServer((socket) => {
      let inData = false;
      socket.write('220 mail.example\r\n');
      socket.on('data', (chunk) => {
        for (const line of chunk.toString().split('\r\n').slice(0, -1)) {
          heard.push(line);
          if (inData && line !== '.') continue;
          const command = inData ? '.' : (line.split(/[ :]/)[0]?.toUpperCase() ?? '');
          inData = command === 'DATA';
          socket.write(`${replies[command] ?? (inData ? '354 go on' : '250 ok')}\r\n`);
        }
      });
      socket.on('error', () => socket.destroy());
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return { url: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`, heard };
  }

  const send = (smtpUrl: string, sent = message()) =>
    createMailTransport({ smtpUrl, dataDir, mailFrom }).send(sent);

  test('the message is handed over to its one recipient', async () => {
    const { url, heard } = await mailServer();
    const sent = message();
    await send(url, sent);
    expect(heard).toEqual(
      expect.arrayContaining([
        'MAIL FROM:<orders@shop.example>',
        'RCPT TO:<buyer@example.com>',
        `Message-ID: <${sent.id}@shop.example>`,
      ]),
    );
    expect(heard.filter((line) => line.startsWith('RCPT'))).toHaveLength(1);
    expect(readdirSync(dataDir)).toEqual([]);
  });

  test.each([
    ['no such mailbox', { RCPT: '550 no such user buyer@example.com' }, true],
    ['content refused', { '.': '554 looks like spam' }, true],
    ['mailbox busy', { RCPT: '450 try again' }, false],
    ['over quota for now', { '.': '452 too much' }, false],
    ['sender not allowed, which the operator can repair', { MAIL: '550 who are you' }, false],
  ])('%s: refused for good is %j only when trying again is useless', async (_, replies, forGood) => {
    const { url } = await mailServer(replies);
    const failure = await send(url).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(Error);
    expect(failure instanceof MailRefused).toBe(forGood);
    expect(String(failure)).not.toContain('buyer');
  });

  test('a server that is away is a failure that passes', async () => {
    const { url } = await mailServer();
    await new Promise((resolve) => server?.close(resolve));
    const failure = await send(url).catch((error: unknown) => error);
    expect(String(failure)).toMatch(/ESOCKET|ECONNECTION|ECONNREFUSED/);
    expect(failure).not.toBeInstanceOf(MailRefused);
  });
});
