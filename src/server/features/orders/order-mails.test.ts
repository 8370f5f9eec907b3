import { describe, expect, it } from 'vitest';
import { openAdminOrders } from '../../../../test/admin-orders.ts';
import { type KindOfGoods, makeGoods, makeProduct, makeUser } from '../../../../test/factories.ts';
import { holdMailJobs, mailsTo } from '../../../../test/sent-mails.ts';
import { createShopper } from '../../../../test/shopper.ts';
import { openTestShop } from '../../../../test/test-shop.ts';

const shop = await openTestShop();
await holdMailJobs(shop);
const desk = await openAdminOrders(shop);

/** Buys units of 10.60 as a guest. */
async function buy(email: string, quantity = 1, product?: Awaited<ReturnType<typeof makeProduct>>) {
  const buyer = createShopper(shop.url);
  const bought = product ?? (await makeProduct(shop.deps, { items: quantity }));
  const { orderId } = await buyer.buy([{ product: bought, quantity }], { email, password: 'a-password-of-mine' });
  return { buyer, orderId };
}

describe('the mail about a refund', () => {
  it('links to Find My Order if no account owns the order', async () => {
    const { email } = await makeUser(shop.deps, { email_verified_at: null });
    const { orderId } = await buy(email);
    await desk.act(orderId, 'refund', { reason: 'Broken' });
    const mail = (await mailsTo(shop, email)).at(-1);
    expect(mail?.subject).toContain('has been refunded');
    expect(mail?.text).toContain(`${shop.deps.config.publicUrl}/find-order`);
    expect(mail?.text).not.toContain(`/orders/${orderId}`);
  });

  it('links to the page of an order that an account owns', async () => {
    const { orderId } = await buy('owned@example.com');
    await desk.act(orderId, 'refund', { reason: 'Broken' });
    expect((await mailsTo(shop, 'owned@example.com')).at(-1)?.text).toContain(`/orders/${orderId}`);
  });
});

it('the order mail to a verified account without a password has no claim link', async () => {
  const email = 'undone@example.com';
  await makeUser(shop.deps, { email, password_hash: null });
  await buy(email);
  const mail = (await mailsTo(shop, email)).at(-1);
  expect(mail?.subject).toContain('is ready');
  expect(mail?.text).not.toContain('/claim?token=');
});

it('the order mail isolates a product name that is written from right to left from quantity and amount', async () => {
  const product = await makeProduct(shop.deps, { items: 1, name: 'משחק 2' });
  await buy('hebrew@example.com', 1, product);
  const mail = (await mailsTo(shop, 'hebrew@example.com')).at(-1);
  expect(mail?.text).toContain('1 × \u2068משחק 2\u2069  $10.00');
  expect(mail?.html).toContain('1 × \u2068משחק 2\u2069');
});

it('the order mail says how many items are delivered by hand, and that only the others are delivered', async () => {
  const mailAbout = async (kinds: KindOfGoods[], quantity: number) => {
    const email = `${kinds.join('-')}-${quantity}@example.com`;
    const cart = await Promise.all(
      kinds.map(async (kind) => ({ product: await makeGoods(shop.deps, kind, 2), quantity })),
    );
    await createShopper(shop.url).buy(cart, { email, password: 'a-password-of-mine' });
    return (await mailsTo(shop, email)).at(-1)?.text;
  };
  const byPost = await mailAbout(['manual', 'digital', 'physical'], 1);
  expect(byPost).toContain('1 item is delivered by hand. We email you when it is ready.');
  expect(byPost).toContain('Its other digital items are delivered.');
  const two = await mailAbout(['manual'], 2);
  expect(two).toContain('2 items are delivered by hand. We email you when they are ready.');
});
