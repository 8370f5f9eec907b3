import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Fastify, { type FastifyInstance } from 'fastify';
import { v7 as uuidv7 } from 'uuid';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../test/system-clock.ts';
import { startTestShop } from '../../../test/test-shop.ts';
import { createMailTransport, type MailMessage } from '../platform/mail/mail-transport.ts';
import { mailboxRoutes } from './mailbox.ts';

let dataDir: string;
let app: FastifyInstance;
beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'kedai-mailbox-'));
  app = Fastify();
  await app.register(mailboxRoutes({ dataDir, storeName: 'Kedai' }));
});
afterEach(async () => {
  await app.close();
  rmSync(dataDir, { recursive: true, force: true });
});

async function write(change: Partial<MailMessage> = {}): Promise<string> {
  const mail = {
    id: uuidv7(),
    messageId: uuidv7(),
    to: 'buyer@example.com',
    subject: 'Your order is ready',
    text: 'Plain words',
    html: '<!doctype html><html><head><title>x</title></head><body><p style="color:#000">Rich</p></body></html>',
    ...change,
  };
  const mailFrom = { name: 'Kedai', address: 'no-reply@kedai.test' };
  await createMailTransport({ smtpUrl: undefined, dataDir, mailFrom, mailReplyTo: undefined, clock: systemClock }).send(
    mail,
  );
  return mail.id;
}

const get = (path: string) => app.inject(`/demo/mailbox${path}`);

describe('the list of mails', () => {
  it('says "No mail yet" while it is empty', async () => {
    const { statusCode, body, headers } = await get('');
    expect([statusCode, headers['cache-control']]).toEqual([200, 'no-store']);
    expect(body).toContain('No mail yet');
  });

  it('shows every mail with recipient and link, newest first', async () => {
    const [first, second] = [await write({ subject: 'First' }), await write({ subject: 'Second 😀 naïve' })];
    const { body } = await get('');
    const links = [...body.matchAll(/href="\/demo\/mailbox\/([^"]+)"><strong>([^<]*)/g)];
    expect(links.map(([, id, subject]) => [id, subject])).toEqual([
      [second, 'Second 😀 naïve'],
      [first, 'First'],
    ]);
    expect(body).toContain('buyer@example.com');
    expect(body).not.toContain('No mail yet');
  });

  it('omits files that the shop has not named', async () => {
    await write();
    writeFileSync(join(dataDir, 'mail/..secret.eml'), 'Subject: no\r\n\r\n');
    writeFileSync(join(dataDir, `mail/.${randomUUID()}.tmp`), 'Subject: no\r\n\r\n');
    expect((await get('')).body.match(/<li>/g)).toHaveLength(1);
  });
});

describe('the page of a mail', () => {
  it('shows subject, recipient, date, the plain part, and the HTML part in a sandboxed frame', async () => {
    const id = await write();
    const { body } = await get(`/${id}`);
    expect(body).toContain('<h1>Your order is ready</h1>');
    expect(body).toContain('<dd>buyer@example.com</dd>');
    expect(body).toMatch(/<time datetime="20\d\d-\d\d-\d\dT[\d:]+\.000Z">\d{1,2} \w+ 20\d\d/);
    expect(body).toContain('<pre>Plain words\n</pre>');
    expect(body).toMatch(new RegExp(`<iframe [^>]*src="/demo/mailbox/${id}/html"`));
    expect(/sandbox="([^"]*)"/.exec(body)?.[1]).not.toMatch(/allow-(scripts|same-origin|forms)/);
  });

  it('allows in its HTML part only its own styles, no scripts, and framing only by the shop', async () => {
    const { body, headers } = await get(`/${await write()}/html`);
    expect(body).toContain('<head><base target="_top">');
    const policy = String(headers['content-security-policy']);
    // SHA-256 of color:#000, by openssl.
    expect(policy).toContain("style-src 'unsafe-hashes' 'sha256-l/sUqbCdoxmEedaKvRBY2svBYeEy/W2xZDSmV1xQGnc='");
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'self'");
    expect(policy).toMatch(/sandbox allow-top-navigation/);
    expect(policy).not.toMatch(/unsafe-inline|script-src|allow-scripts|allow-same-origin/);
  });

  it('shows only the plain part of a mail without HTML', async () => {
    const id = await write({ html: '' });
    const { body } = await get(`/${id}`);
    expect(body).toContain('<pre>Plain words\n</pre>');
    expect(body).not.toContain('<iframe');
  });

  it('escapes markup in subject and text', async () => {
    const evil = `"><script>alert('1')</script>`;
    const id = await write({ subject: evil, text: evil });
    for (const page of [await get(''), await get(`/${id}`)]) {
      expect(page.body).not.toContain('<script');
      expect(page.body).toContain('&lt;script&gt;');
    }
  });

  it.each([
    uuidv7(),
    '..',
    '%2e%2e%2fsecrets',
    '..%2f..%2fsecrets.json',
    '%00',
    'x'.repeat(90),
    '0198C0DE-0000-7000-8000-000000000001',
  ])('answers 404 for an unknown id and reads no other file: %s', async (id) => {
    writeFileSync(join(dataDir, 'secrets.eml'), 'Subject: secret\r\n\r\nsecret');
    await write();
    for (const path of [`/${id}`, `/${id}/html`]) {
      const { statusCode, body } = await get(path);
      expect(statusCode).toBe(404);
      expect(body).not.toContain('secret');
    }
  });
});

it.each([
  ['a demo without a mail server', { DEMO: 'on' }, '/demo/mailbox'],
  ['a demo that really sends', { DEMO: 'on', SMTP_URL: 'smtp://127.0.0.1:9' }, null],
  ['a shop that is no demo', { DEMO: 'off' }, null],
])('%s announces the mailbox only if it serves one', async (_, settings, path) => {
  const shop = await startTestShop({ settings });
  try {
    const { data } = await (await fetch(`${shop.url}/api/shop`)).json();
    expect(data.mailbox).toBe(path);
    const page = await (await fetch(`${shop.url}/demo/mailbox`)).text();
    expect(page.includes('<h1>Mailbox</h1>')).toBe(path !== null);
  } finally {
    await shop.stop();
  }
});
