import { sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import { describe, expect, it, vi } from 'vitest';
import { type MadeProduct, makeProduct, makeUser, TEST_PASSWORD } from '../../../../test/factories.ts';
import { readMails, type WrittenMail } from '../../../../test/mail-folder.ts';
import { createShopper } from '../../../../test/shopper.ts';
import { openTestShop } from '../../../../test/test-shop.ts';
import { DAY_MS } from '../../../shared/durations.ts';
import { orderNumber } from '../../../shared/format.ts';
import { mailContents } from '../../background-work.ts';
import { hashToken } from '../../platform/crypto/tokens.ts';
import { type MailMessage, MailRefused } from '../../platform/mail/mail-transport.ts';
import { settleOrder } from '../checkout/settle-order.ts';
import { insertMail } from './mails.queries.ts';
import { enqueueMail, type MailKind, sendMail } from './send-mail.ts';

const shop = await openTestShop();
const CLAIM_LINK = /\/claim\?token=([\w-]{43})\b/;

/** Pays as a guest and closes the page: the account is made by the shop alone, without a password. */
async function payAndLeave(email: string, product?: MadeProduct): Promise<{ orderId: string; product: MadeProduct }> {
  const bought = product ?? (await makeProduct(shop.deps));
  const { orderId } = await createShopper(shop.url).authorise([{ product: bought, quantity: 1 }], { email });
  await settleOrder(shop.deps, orderId);
  return { orderId, product: bought };
}

async function buySignedIn(email: string): Promise<string> {
  const product = await makeProduct(shop.deps);
  const buyer = createShopper(shop.url);
  await buyer.signIn(email, TEST_PASSWORD);
  const { orderId } = await buyer.authorise([{ product, quantity: 1 }]);
  return (await settleOrder(shop.deps, orderId)).id;
}

/** The mail of an order that the shop's own job has sent. */
function mailAbout(orderId: string, kind: MailKind = 'order-delivered'): Promise<WrittenMail> {
  return vi.waitFor(
    async () => {
      const { id } = await shop.deps.db
        .selectFrom('mails')
        .select('id')
        .where('order_id', '=', orderId)
        .where('kind', '=', kind)
        .where('sent_at', 'is not', null)
        .executeTakeFirstOrThrow();
      const mail = (await readMails(shop.deps.config.dataDir)).find((written) => written.id === id);
      if (!mail) throw new Error('The mail is not in the folder');
      return mail;
    },
    { timeout: 15_000, interval: 50 },
  );
}

/** A mail that no job knows of, so that the test alone decides when it is sent. */
async function writeMailDown(orderId: string, recipient = 'buyer@example.com'): Promise<string> {
  const id = uuidv7();
  const mail = { id, kind: 'order-delivered', recipient, order_id: orderId, user_id: null };
  await shop.deps.db
    .transaction()
    .execute((trx) => insertMail(trx, { ...mail, created_at: shop.deps.clock.now(), sent_at: null }));
  return id;
}

const sentAt = async (mailId: string) =>
  (await shop.deps.db.selectFrom('mails').select('sent_at').where('id', '=', mailId).executeTakeFirstOrThrow()).sent_at;

const countClaimLinks = async (orderId: string) =>
  (await shop.deps.db.selectFrom('verifications').select('order_id').where('order_id', '=', orderId).execute()).length;

describe('"Your order is ready"', () => {
  it('lists what was bought at which price, the same in the plain and the HTML part', async () => {
    const { orderId, product } = await payAndLeave('receipt@example.com');
    const mail = await mailAbout(orderId);
    expect(mail.to).toBe('receipt@example.com');
    expect(mail.subject).toBe(`Your order ${orderNumber(orderId)} is ready`);
    for (const part of [mail.text, mail.html]) {
      for (const fact of [
        orderNumber(orderId),
        `1 × ${product.name}`,
        '$10.00',
        'Tax (6%)',
        '$0.60',
        'Total (USD)',
        '$10.60',
      ]) {
        expect(part).toContain(fact);
      }
      expect(part).toMatch(/of \d{1,2} [A-Z][a-z]+ \d{4}, \d\d:\d\d GMT\+8\./);
    }
  });

  it('never contains a key, in any encoding', async () => {
    const { orderId, product } = await payAndLeave('canary@example.com');
    const { source, text, html } = await mailAbout(orderId);
    const key = product.keys[0] ?? '';
    const { content_hmac, ciphertext } = await shop.deps.db
      .selectFrom('items')
      .selectAll()
      .where('product_id', '=', product.id)
      .executeTakeFirstOrThrow();
    for (const form of [key, Buffer.from(key).toString('base64'), Buffer.from(key).toString('hex')]) {
      expect(source + text + html).not.toContain(form);
    }
    for (const bytes of [content_hmac, ciphertext]) expect(source).not.toContain(bytes.toString('base64'));
  });

  it('gives a guest without a password one link that opens the account, stored only as a hash', async () => {
    const { orderId } = await payAndLeave('left@example.com');
    const { text, html } = await mailAbout(orderId);
    const token = CLAIM_LINK.exec(text)?.[1] ?? '';
    expect(html).toContain(`${shop.deps.config.publicUrl}/claim?token=${token}`);
    const links = await shop.deps.db.selectFrom('verifications').selectAll().where('order_id', '=', orderId).execute();
    expect(links).toMatchObject([{ secret_hash: hashToken(token), used_at: null }]);
    const daysLeft = ((links[0]?.expires_at.getTime() ?? 0) - shop.deps.clock.now().getTime()) / 86_400_000;
    expect(daysLeft).toBeGreaterThan(6.9);
    expect(daysLeft).toBeLessThanOrEqual(7);
    expect(shop.logLines.join('\n')).not.toContain(token);
  });

  it('gives the owner of an unverified account that link, too, as the account does not own the order', async () => {
    const { email } = await makeUser(shop.deps, { email_verified_at: null });
    const { orderId } = await payAndLeave(email);
    expect((await mailAbout(orderId)).text).toMatch(CLAIM_LINK);
  });

  it.each([
    ['a signed-in buyer', async () => buySignedIn((await makeUser(shop.deps)).email)],
    ['the owner of a verified account', async () => (await payAndLeave((await makeUser(shop.deps)).email)).orderId],
  ])('links %s to the order page, without a claim link', async (_, buy) => {
    const orderId = await buy();
    const { text, html } = await mailAbout(orderId);
    expect(text).toContain(`${shop.deps.config.publicUrl}/order-items/${orderId}`);
    expect(text + html).not.toContain('/claim');
    expect(await countClaimLinks(orderId)).toBe(0);
  });

  it('shows markup in a name as text', async () => {
    const name = `<img src=x onerror="alert('1')"> & <b>bold</b>`;
    const product = await makeProduct(shop.deps, { name });
    const { html, text } = await mailAbout((await payAndLeave('markup@example.com', product)).orderId);
    expect(text).toContain(name);
    expect(html).not.toMatch(/<img|<b>/);
    expect(html).toContain('&lt;img src=x onerror=&quot;alert(&#39;1&#39;)&quot;&gt; &amp; &lt;b&gt;bold&lt;/b&gt;');
  });
});

it('a refund mail has the amount and no claim link', async () => {
  const { orderId } = await payAndLeave('refunded@example.com');
  await shop.deps.db
    .transaction()
    .execute((trx) =>
      enqueueMail(shop.deps, trx, { kind: 'order-refunded', recipient: 'refunded@example.com', orderId, userId: null }),
    );
  const mail = await mailAbout(orderId, 'order-refunded');
  expect(mail.subject).toBe(`Your order ${orderNumber(orderId)} has been refunded`);
  expect(mail.text).toContain('$10.60');
  expect(mail.text + mail.html).not.toMatch(CLAIM_LINK);
});

it('the mail of an order is sent before mails that anyone can request', async () => {
  const stranger = createShopper(shop.url);
  const [email, wanted] = ['nobody@example.com', 'buyer-first@example.com'];
  await stranger.post('/api/auth/forgotpassword', { email });
  await stranger.post('/api/order-lookup/guest', { email, orderNumber: '00000000' });
  await payAndLeave(wanted);
  const { rows } = await sql<{ kind: string; priority: number }>`
    SELECT kind, priority FROM jobs.job JOIN mails ON mails.id::text = data->>'mailId'
    WHERE user_id IS NULL OR recipient = ${wanted} ORDER BY priority DESC, created_on`.execute(shop.deps.db);
  expect(
    rows
      .filter(({ priority }) => priority === 0)
      .map(({ kind }) => kind)
      .sort(),
  ).toEqual(['order-lookup', 'password-reset']);
  expect(rows[0]).toEqual({ kind: 'order-delivered', priority: 1 });
});

it('a mail of a rolled-back transaction is never sent', async () => {
  const { orderId } = await payAndLeave('rollback@example.com');
  const undone = shop.deps.db.transaction().execute(async (trx) => {
    await enqueueMail(shop.deps, trx, { kind: 'order-refunded', recipient: 'a@example.com', orderId, userId: null });
    throw new Error('undone');
  });
  await expect(undone).rejects.toThrow('undone');
  const rows = await shop.deps.db.selectFrom('mails').select('kind').where('order_id', '=', orderId).execute();
  expect(rows).toEqual([{ kind: 'order-delivered' }]);
});

describe('a mail job that runs again', () => {
  it('does not send a sent mail again', async () => {
    const { orderId } = await payAndLeave('again@example.com');
    const mailId = await writeMailDown(orderId);
    const sent: MailMessage[] = [];
    const deps = { ...shop.deps, mail: { send: async (message: MailMessage) => void sent.push(message) } };
    await sendMail(deps, mailContents, { mailId });
    const firstSentAt = await sentAt(mailId);
    await sendMail(deps, mailContents, { mailId });
    expect(sent.map(({ id }) => id)).toEqual([mailId]);
    expect(firstSentAt).toBeInstanceOf(Date);
    expect(await sentAt(mailId)).toEqual(firstSentAt);
  });

  it('does not send a mail that another job is sending', async () => {
    const { orderId } = await payAndLeave('beside@example.com');
    const mailId = await writeMailDown(orderId);
    const sending = Promise.withResolvers<void>();
    const taken = Promise.withResolvers<void>();
    let sent = 0;
    const slow = async () => {
      sending.resolve();
      await taken.promise;
      sent += 1;
    };
    const first = sendMail({ ...shop.deps, mail: { send: slow } }, mailContents, { mailId });
    await sending.promise;
    await expect(sendMail(shop.deps, mailContents, { mailId })).rejects.toThrow('being sent by another process');
    taken.resolve();
    await first;
    await sendMail(shop.deps, mailContents, { mailId });
    expect(sent).toBe(1);
    expect((await readMails(shop.deps.config.dataDir)).some(({ id }) => id === mailId)).toBe(false);
  });

  it('sends the mail once after a failure, with a working link', async () => {
    const { orderId } = await payAndLeave('retry@example.com');
    await mailAbout(orderId);
    const mailId = await writeMailDown(orderId, 'retry@example.com');
    const before = await countClaimLinks(orderId);
    const away = async () => {
      throw new Error('The mail server is away');
    };
    await expect(sendMail({ ...shop.deps, mail: { send: away } }, mailContents, { mailId })).rejects.toThrow('is away');
    expect(await sentAt(mailId)).toBeNull();
    expect(await countClaimLinks(orderId)).toBe(before);

    await sendMail(shop.deps, mailContents, { mailId });
    const mail = (await readMails(shop.deps.config.dataDir)).find(({ id }) => id === mailId);
    const claimToken = CLAIM_LINK.exec(mail?.text ?? '')?.[1];
    const claimed = await createShopper(shop.url).post('/api/auth/claim', { claimToken, password: 'my-own-choice' });
    expect(claimed).toMatchObject({ status: 200, body: { user: { email: 'retry@example.com' } } });
  });

  it('ends without an error if the mail was deleted', async () => {
    await expect(sendMail(shop.deps, mailContents, { mailId: uuidv7() })).resolves.toBeUndefined();
  });

  it('gives up on a rejected mail, and logs that without the recipient', async () => {
    const { orderId } = await payAndLeave('refused@example.com');
    const mailId = await writeMailDown(orderId, 'refused@example.com');
    const refuse = async () => {
      throw new MailRefused('EENVELOPE 550');
    };
    await sendMail({ ...shop.deps, mail: { send: refuse } }, mailContents, { mailId });
    expect(await sentAt(mailId)).toBeNull();
    const admin = createShopper(shop.url);
    await admin.signIn((await makeUser(shop.deps, { role: 'admin' })).email, TEST_PASSWORD);
    const { body } = await admin.get(`/api/admin/orders/${orderId}`);
    const text = 'Mail “Your order is ready” could not be sent to refused@example.com';
    expect(body.data).toMatchObject({
      mails: expect.arrayContaining([expect.objectContaining({ sentAt: null, refusedAt: expect.any(String) })]),
      timeline: expect.arrayContaining([expect.objectContaining({ text })]),
    });
    const line = shop.logLines.find((logged) => logged.includes(mailId)) ?? '';
    expect(line).toContain('EENVELOPE 550');
    expect(line).not.toContain('@');
  });

  it('retries for five days, then gives up with a notification', async () => {
    const { orderId } = await payAndLeave('late@example.com');
    const mailId = await writeMailDown(orderId);
    const hang = async () => {
      throw new Error('The mail server did not take the message: ETIMEDOUT');
    };
    const deps = { ...shop.deps, mail: { send: hang } };
    const noticed = () => shop.deps.db.selectFrom('notices').select('kind').where('subject', '=', mailId).execute();
    shop.pass(5 * DAY_MS - 60_000);
    await expect(sendMail(deps, mailContents, { mailId })).rejects.toThrow('ETIMEDOUT');
    expect(await noticed()).toEqual([]);
    shop.pass(120_000);
    await sendMail(deps, mailContents, { mailId });
    expect(await noticed()).toEqual([{ kind: 'mail-failed' }]);
    expect(await sentAt(mailId)).toBeNull();
  });

  it('gives up after the last failure, unless the mail was sent meanwhile', async () => {
    const { orderId } = await payAndLeave('last@example.com');
    await mailAbout(orderId);
    const unsent = await writeMailDown(orderId, 'last@example.com');
    const { db, jobs } = shop.deps;
    const mails = () =>
      db
        .selectFrom('mails')
        .select(['id', 'sent_at', 'refused_at'])
        .where('order_id', '=', orderId)
        .orderBy('created_at')
        .execute();
    for (const { id: mailId } of await mails()) {
      await db.transaction().execute((trx) => jobs.enqueue(trx, 'given-up-mail', { mailId }));
    }
    await vi.waitFor(async () => expect((await mails()).some(({ refused_at }) => refused_at)).toBe(true), 15_000);
    expect(await mails()).toEqual([
      { id: expect.any(String), sent_at: expect.any(Date), refused_at: null },
      { id: unsent, sent_at: null, refused_at: expect.any(Date) },
    ]);
  });
});
