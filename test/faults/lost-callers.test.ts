import { describe, expect, it, vi } from 'vitest';
import { FAULT_TEST_LIMIT, type FaultWorld, openFaultWorld } from './fault-world.ts';
import { openProviderDesk } from './provider-desk.ts';
import { newPurchase, readKeysByMail } from './purchase.ts';

const WITHIN_A_MINUTE_MS = 45_000;
const AFTER_THE_HOLD_MS = 16 * 60_000;

const stateOf = async (world: FaultWorld, orderId: string) =>
  (await world.db.selectFrom('orders').select('state').where('id', '=', orderId).executeTakeFirstOrThrow()).state;

describe.concurrent('if the browser is closed right after the card was confirmed,', FAULT_TEST_LIMIT, () => {
  it('the webhook finishes the order', async () => {
    await using world = await openFaultWorld();
    const { url } = await world.start({ webhooks: 'on' });
    const purchase = await newPurchase(world, url);
    await purchase.open();
    await purchase.confirmCard();
    await world.rest();
    expect(await readKeysByMail(world, url, purchase.orderId)).toEqual(purchase.product.keys);
    expect(await world.violations()).toEqual([]);
  });

  it('the sweeper finishes the order within a minute without a webhook', async () => {
    await using world = await openFaultWorld();
    const shop = await world.start({ webhooks: 'off' });
    const purchase = await newPurchase(world, shop.url);
    await purchase.open();
    await purchase.confirmCard();
    await shop.pass(WITHIN_A_MINUTE_MS);
    await world.rest(WITHIN_A_MINUTE_MS);
    expect(await readKeysByMail(world, shop.url, purchase.orderId)).toEqual(purchase.product.keys);
    expect(await world.violations()).toEqual([]);
  });

  it.each(['goods-pinned', 'payment-captured', 'order-fulfilled'] as const)(
    'another process finishes the order if the process that got the webhook dies at %s',
    async (crashAt) => {
      await using world = await openFaultWorld();
      const shop = await world.start({ crashAt, webhooks: 'on' });
      const purchase = await newPurchase(world, shop.url);
      await purchase.open();
      await purchase.confirmCard();
      expect(await shop.ended).toBe('SIGKILL');
      const next = await world.start({ clockAheadMs: WITHIN_A_MINUTE_MS, webhooks: 'on' });
      await world.rest(WITHIN_A_MINUTE_MS);
      expect(await readKeysByMail(world, next.url, purchase.orderId)).toEqual(purchase.product.keys);
      expect(await world.violations()).toEqual([]);
    },
  );
});

describe.concurrent('if the browser is closed before the order call,', FAULT_TEST_LIMIT, () => {
  it.each(['cancelled-at-provider', 'goods-released'] as const)(
    'the next sweeper puts the goods back on sale if the first sweeper dies at %s',
    async (crashAt) => {
      await using world = await openFaultWorld();
      const shop = await world.start({ crashAt, webhooks: 'off' });
      const purchase = await newPurchase(world, shop.url);
      await purchase.open();
      await shop.pass(AFTER_THE_HOLD_MS);
      expect(await shop.ended).toBe('SIGKILL');

      const again = AFTER_THE_HOLD_MS + WITHIN_A_MINUTE_MS;
      const { url } = await world.start({ clockAheadMs: again, webhooks: 'off' });
      await world.rest(again);
      expect(await stateOf(world, purchase.orderId)).toBe('cancelled');
      purchase.moveTo(url);
      expect(await purchase.confirmCard()).toMatchObject({ status: 400 });
      expect(await world.violations()).toEqual([]);
    },
  );

  it('the buyer gets the goods of a payment that is captured at the provider', async () => {
    await using world = await openFaultWorld();
    const shop = await world.start({ webhooks: 'off' });
    const desk = await openProviderDesk(world.db);
    const purchase = await newPurchase(world, shop.url);
    await purchase.open();
    await purchase.confirmCard();
    await desk.act(shop.url, 'capture', purchase.intentId);
    await shop.pass(AFTER_THE_HOLD_MS);
    await world.rest(AFTER_THE_HOLD_MS);
    expect(await stateOf(world, purchase.orderId)).toBe('fulfilled');
    expect(await world.violations()).toEqual([]);
  });
});

describe.concurrent('a delivered order that is refunded at the provider', FAULT_TEST_LIMIT, () => {
  it('is refunded in the shop by the next comparison of the books, without a webhook', async () => {
    await using world = await openFaultWorld();
    const shop = await world.start({ webhooks: 'off' });
    const desk = await openProviderDesk(world.db);
    const purchase = await newPurchase(world, shop.url);
    await purchase.open();
    await purchase.confirmCard();
    expect(await purchase.place()).toMatchObject({ status: 201 });
    await desk.act(shop.url, 'refund', purchase.intentId);
    expect(await world.violations()).not.toEqual([]);

    // A shop compares its books with the provider's at its start and every ten minutes.
    await world.start({ webhooks: 'off' });
    await vi.waitFor(async () => expect(await stateOf(world, purchase.orderId)).toBe('refunded'), { timeout: 60_000 });
    expect(await world.violations()).toEqual([]);
  });
});

describe.concurrent('a payment that does not match its order', FAULT_TEST_LIMIT, () => {
  it.each(['nowhere', 'goods-released', 'refund-begun', 'refunded-at-provider'] as const)(
    'is refunded, and nothing is delivered for it (crash at %s)',
    async (crashAt) => {
      await using world = await openFaultWorld();
      const shop = await world.start({ webhooks: 'off', ...(crashAt !== 'nowhere' && { crashAt }) });
      const desk = await openProviderDesk(world.db);
      const purchase = await newPurchase(world, shop.url);
      await purchase.open();
      await purchase.confirmCard();
      await desk.act(shop.url, 'capture', purchase.intentId);
      await world.db
        .updateTable('test_mode_intents')
        .set({ amount_cents: 1, captured_cents: 1 })
        .where('id', '=', purchase.intentId)
        .execute();
      expect(await purchase.place()).toMatchObject({ status: 409, body: { code: 'PAYMENT_MISMATCH' } });

      await shop.pass(AFTER_THE_HOLD_MS);
      if (crashAt !== 'nowhere') {
        expect(await shop.ended).toBe('SIGKILL');
        await world.start({ clockAheadMs: AFTER_THE_HOLD_MS + WITHIN_A_MINUTE_MS, webhooks: 'off' });
      }
      await vi.waitFor(async () => expect(await stateOf(world, purchase.orderId)).toBe('refunded'), {
        timeout: 60_000,
      });
      expect(await world.violations()).toEqual([]);
    },
  );

  it.each([
    ['is refunded', 'refunded', { status: 'succeeded', amount_cents: 1, captured_cents: 1 }],
    ['is cancelled if it is only authorised', 'cancelled', { amount_cents: 1 }],
  ] as const)('%s, and its pinned goods are put back on sale', async (_, state, changes) => {
    await using world = await openFaultWorld();
    const shop = await world.start({ webhooks: 'off', crashAt: 'goods-pinned' });
    const purchase = await newPurchase(world, shop.url);
    await purchase.open();
    await purchase.confirmCard();
    await purchase.place().catch(() => undefined);
    expect(await shop.ended).toBe('SIGKILL');
    expect(await stateOf(world, purchase.orderId)).toBe('capturing');
    await world.db.updateTable('test_mode_intents').set(changes).where('id', '=', purchase.intentId).execute();

    await world.start({ clockAheadMs: WITHIN_A_MINUTE_MS, webhooks: 'off' });
    await vi.waitFor(async () => expect(await stateOf(world, purchase.orderId)).toBe(state), { timeout: 60_000 });
    expect(await world.violations()).toEqual([]);
  });
});
