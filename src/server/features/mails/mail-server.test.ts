import { v7 as uuidv7 } from 'uuid';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { makeProduct, makeUser, TEST_PASSWORD } from '../../../../test/factories.ts';
import { type MailServer, startMailServer } from '../../../../test/mail-server.ts';
import { createShopper } from '../../../../test/shopper.ts';
import { startSilentProxy } from '../../../../test/silent-proxy.ts';
import { startTestShop, type TestShop } from '../../../../test/test-shop.ts';
import { orderNumber } from '../../../shared/format.ts';
import { mailContents } from '../../background-work.ts';
import { createMailTransport } from '../../platform/mail/mail-transport.ts';
import { settleOrder } from '../checkout/settle-order.ts';
import { insertMail } from './mails.queries.ts';
import { sendMail } from './send-mail.ts';

let shop: TestShop;
let server: MailServer;
beforeAll(async () => {
  server = await startMailServer({ hideSTARTTLS: true });
  const settings = { SMTP_URL: `smtp://127.0.0.1:${server.port}`, PUBLIC_URL: 'https://shop.example' };
  shop = await startTestShop({ settings });
});
afterAll(async () => {
  await shop.stop();
  await server.stop();
});

const soon = { timeout: 20_000, interval: 50 };

async function buy(): Promise<string> {
  const { email } = await makeUser(shop.deps);
  const product = await makeProduct(shop.deps);
  const buyer = createShopper(shop.url);
  await buyer.signIn(email, TEST_PASSWORD);
  const { orderId } = await buyer.authorise([{ product, quantity: 1 }]);
  return (await settleOrder(shop.deps, orderId)).id;
}

const unsent = async () =>
  (await shop.deps.db.selectFrom('mails').select('id').where('sent_at', 'is', null).execute()).length;

it('an order mail is sent once, from the shop, with links to the public URL', async () => {
  const orderId = await buy();
  const subject = `Your order ${orderNumber(orderId)} is ready`;
  const mail = await vi.waitFor(() => {
    const found = server.received.find((received) => received.subject === subject);
    if (!found) throw new Error('The mail has not arrived');
    return found;
  }, soon);
  expect(mail).toMatchObject({ from: 'no-reply@shop.example', recipients: [mail.to] });
  for (const part of [mail.text, mail.html]) {
    expect(part).toContain(`https://shop.example/order-items/${orderId}`);
  }
  expect(mail.source).not.toContain('localhost');
});

it('mails queued while the mail server was unavailable are each sent once afterwards', async () => {
  await vi.waitFor(async () => expect(await unsent()).toBe(0), soon);
  const { port } = server;
  await server.stop();
  const orderIds = [await buy(), await buy(), await buy()];
  await vi.waitFor(
    () => expect(shop.logLines.filter((line) => line.includes('A job failed'))).not.toHaveLength(0),
    soon,
  );
  expect(await unsent()).toBe(3);

  server = await startMailServer({ hideSTARTTLS: true, port });
  await vi.waitFor(async () => expect(await unsent()).toBe(0), soon);
  const subjects = orderIds.map((id) => `Your order ${orderNumber(id)} is ready`);
  expect(server.received.map(({ subject }) => subject).sort()).toEqual(subjects.sort());
});

it('a mail that is repeated after a lost answer is the same message, unless it has a new link', async () => {
  await vi.waitFor(async () => expect(await unsent()).toBe(0), soon);
  const { db, clock, config } = shop.deps;
  await using proxy = await startSilentProxy({ host: '127.0.0.1', port: server.port });
  const smtpUrl = `smtp://127.0.0.1:${proxy.port}`;
  const deps = { ...shop.deps, mail: createMailTransport({ ...config, smtpUrl, clock }) };

  /** Sends a mail of an order twice, because the first answer of the mail server is lost. Returns both messages. */
  async function sendTwice(orderId: string) {
    const id = uuidv7();
    const mail = { id, kind: 'order-delivered', recipient: `${id}@example.com`, order_id: orderId, user_id: null };
    await db.transaction().execute((trx) => insertMail(trx, { ...mail, created_at: clock.now(), sent_at: null }));
    proxy.loseAnswerTo('\r\n.\r\n');
    await expect(sendMail(deps, mailContents, { mailId: id })).rejects.toThrow('did not take the message');
    await sendMail(deps, mailContents, { mailId: id });
    return server.received.filter(({ to }) => to === mail.recipient);
  }
  const messageIds = (messages: { headers: string[] }[]) =>
    messages.map(({ headers }) => headers.find((header) => header.startsWith('Message-ID')));

  const ofCustomer = await sendTwice(await buy());
  expect(ofCustomer).toHaveLength(2);
  expect(new Set(messageIds(ofCustomer)).size).toBe(1);

  const product = await makeProduct(shop.deps);
  const guest = { email: 'lost-answer@example.com' };
  const { orderId } = await createShopper(shop.url).authorise([{ product, quantity: 1 }], guest);
  await settleOrder(shop.deps, orderId);
  const ofGuest = await sendTwice(orderId);
  expect(ofGuest).toHaveLength(2);
  for (const { text } of ofGuest) expect(text).toContain('/claim?token=');
  expect(new Set(messageIds(ofGuest)).size).toBe(2);
});
