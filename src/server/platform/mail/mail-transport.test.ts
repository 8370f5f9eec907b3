import { randomUUID } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readMails } from '../../../../test/mail-folder.ts';
import {
  type MailServer,
  type MailServerOptions,
  SMTP_PASSWORD,
  startMailServer,
} from '../../../../test/mail-server.ts';
import { systemClock } from '../../../../test/system-clock.ts';
import { createMailTransport, type MailMessage, MailRefused, smtpOptions } from './mail-transport.ts';

let dataDir: string;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'kedai-mail-'));
});
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

const senders = { mailFrom: { name: 'Kedai: "the shop"', address: 'orders@shop.example' }, mailReplyTo: undefined };

function message(change: Partial<MailMessage> = {}): MailMessage {
  return {
    id: randomUUID(),
    messageId: randomUUID(),
    to: 'buyer@example.com',
    subject: 'Your order is ready',
    text: 'Plain: naïve = yes\n.\nend',
    html: '<p>Rich: naïve</p>',
    ...change,
  };
}

const HEADERS = ['Auto-Submitted', 'Content-Type', 'Date', 'From', 'MIME-Version', 'Message-ID', 'Subject', 'To'];

const headerNames = (mail: { headers: string[] } | undefined) =>
  mail?.headers.map((header) => header.slice(0, header.indexOf(':'))).sort();

describe('without SMTP_URL', () => {
  const transport = () => createMailTransport({ smtpUrl: undefined, dataDir, ...senders, clock: systemClock });

  test('a message becomes a file in mail format', async () => {
    const sent = message();
    await transport().send(sent);
    const [mail] = await readMails(dataDir);
    const { messageId, ...content } = sent;
    expect(mail).toMatchObject(content);
    expect(mail?.headers).toEqual(
      expect.arrayContaining([
        'From: "Kedai: \\"the shop\\"" <orders@shop.example>',
        `Message-ID: <${messageId}@shop.example>`,
        'Auto-Submitted: auto-generated',
      ]),
    );
  });

  test('answers go to the address for answers, if there is one', async () => {
    const mailReplyTo = 'help@shop.example';
    await createMailTransport({ smtpUrl: undefined, dataDir, ...senders, mailReplyTo, clock: systemClock }).send(
      message(),
    );
    const [mail] = await readMails(dataDir);
    expect(mail?.headers).toContain('Reply-To: help@shop.example');
  });

  test('a message sent again replaces its file, which only its owner can read', async () => {
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
  ])('a subject cannot add a header: %j', async (subject) => {
    await transport().send(message({ subject }));
    const [mail] = await readMails(dataDir);
    expect(headerNames(mail)).toEqual(HEADERS);
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
  ])('a recipient other than exactly one address is refused: %j', async (to) => {
    await expect(transport().send(message({ to }))).rejects.toThrow(MailRefused);
    expect(await readMails(dataDir)).toEqual([]);
  });

  test('a path or URL in the text is not fetched', async () => {
    await transport().send(message({ text: 'file:///etc/passwd', html: '<img src="/etc/passwd">' }));
    expect((await readMails(dataDir))[0]?.html).toBe('<img src="/etc/passwd">');
  });
});

describe('with SMTP_URL', () => {
  let server: MailServer | undefined;
  afterEach(() => server?.stop());

  type Sending = MailServerOptions & { login?: string; query?: string };

  /** Sends through a server made for this test; the transport gets `login` and `query` in its SMTP_URL. */
  async function send(sent: MailMessage, { login = '', query = '', ...options }: Sending = {}): Promise<MailServer> {
    server = await startMailServer({ hideSTARTTLS: true, ...options });
    const scheme = options.secure ? 'smtps' : 'smtp';
    const smtpUrl = `${scheme}://${login}127.0.0.1:${server.port}${query}`;
    await createMailTransport({ smtpUrl, dataDir, ...senders, clock: systemClock }).send(sent);
    return server;
  }

  test('a message arrives with both parts at its one recipient and is not written to a file', async () => {
    const sent = message({ subject: 'Naïve 😀 店', html: '<p>Rich: naïve 店 😀</p>' });
    const { received } = await send(sent);
    const { id: _, messageId, ...content } = sent;
    expect(received).toMatchObject([
      { ...content, from: 'orders@shop.example', sender: 'orders@shop.example', recipients: [sent.to] },
    ]);
    expect(headerNames(received[0])).toEqual(HEADERS);
    expect(received[0]?.headers).toContain(`Message-ID: <${messageId}@shop.example>`);
    expect(received[0]?.headers).toContain('From: "Kedai: \\"the shop\\"" <orders@shop.example>');
    expect(readdirSync(dataDir)).toEqual([]);
  });

  test('line breaks in a subject or text cannot add a header, command or recipient', async () => {
    const sent = message({
      subject: 'Hi\r\nBcc: all@example.com',
      text: 'one\r\n.\r\nRCPT TO:<all@example.com>\r\nDATA\r\nend',
    });
    const { received } = await send(sent);
    expect(received).toHaveLength(1);
    expect(received[0]?.recipients).toEqual([sent.to]);
    expect(headerNames(received[0])).toEqual(HEADERS);
    expect(received[0]?.text).toBe(sent.text.replaceAll('\r\n', '\n'));
  });

  const login = `orders:${encodeURIComponent(SMTP_PASSWORD)}@`;
  const tls = '?tls.rejectUnauthorized=false';

  test.each([
    ['after STARTTLS', { hideSTARTTLS: false }],
    ['through TLS from the start', { secure: true }],
  ])('the transport signs in %s with the login of SMTP_URL', async (_, options) => {
    const { received } = await send(message(), { ...options, login, query: tls, authOptional: false });
    expect(received).toMatchObject([{ secure: true, user: 'orders' }]);
  });

  test.each([
    ['whose certificate is invalid', /ESOCKET [A-Z_]+$/, { hideSTARTTLS: false, login }],
    [
      'without TLS where SMTP_URL demands it',
      'ETLS 500',
      { disabledCommands: ['STARTTLS'], query: '?requireTLS=true' },
    ],
    [
      'that does not know the password',
      'EAUTH 535',
      { hideSTARTTLS: false, query: tls, login: 'orders:wrong-secret@' },
    ],
    ['that wants a password which SMTP_URL does not have', 'EENVELOPE 530', { authOptional: false }],
  ])('a server %s gets no mail, and the failure, %s, is not a permanent refusal', async (_, codes, options) => {
    const failure = await send(message(), options).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(Error);
    expect(failure).not.toBeInstanceOf(MailRefused);
    expect(String(failure)).toMatch(/^Error: The mail server did not take the message: [A-Z_ \d]+$/);
    expect(String(failure)).toMatch(codes);
    expect(server?.received).toEqual([]);
  });

  test.each([
    ['smtp://user:pw@smtp.example:587', true],
    ['smtp://203.0.113.5', true],
    ['smtp://postfix.mail', true],
    ['smtp://localhost', false],
    ['smtp://mail:25', false],
    ['smtp://10.0.0.5', false],
    ['smtp://[::1]:25', false],
    ['smtp://Mail.Corp.Local', false],
    ['smtp://postfix.mail.svc', false],
    ['smtp://postfix.mail.svc.cluster.local', false],
  ])('the server of %s must offer TLS: %s', (url, isRequired) => {
    expect(smtpOptions(url).requireTLS).toBe(isRequired);
  });

  test.each([
    ['no such mailbox', { RCPT: 550 }, true],
    ['content refused', { DATA: 554 }, true],
    ['mailbox busy', { RCPT: 450 }, false],
    ['over quota for now', { DATA: 452 }, false],
    ['sender not allowed, which the operator can repair', { MAIL: 550 }, false],
    ['relay denied, which the operator can repair', { RCPT: 554 }, false, '5.7.1 <buyer@x.test>: Relay access denied'],
    [
      'relay denied without that code, as by Exim',
      { RCPT: 550 },
      false,
      'relay not permitted, authentication required',
    ],
    ['as many mails as in a day', { DATA: 550 }, false, '5.4.5 Daily user sending limit exceeded.'],
  ])('%s: the failure is a permanent refusal: %j', async (_, refuse, forGood, refusal?: string) => {
    const failure = await send(message(), { refuse, ...(refusal && { refusal }) }).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(Error);
    expect(failure instanceof MailRefused).toBe(forGood);
    expect(String(failure)).not.toContain('buyer');
  });
});
