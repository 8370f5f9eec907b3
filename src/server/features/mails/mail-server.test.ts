import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { makeProduct, makeUser, TEST_PASSWORD } from '../../../../test/factories.ts';
import { type MailServer, startMailServer } from '../../../../test/mail-server.ts';
import { createShopper } from '../../../../test/shopper.ts';
import { startTestShop, type TestShop } from '../../../../test/test-shop.ts';
import { orderNumber } from '../../../shared/format.ts';
import { settleOrder } from '../checkout/settle-order.ts';

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
