import { describe, expect, it } from 'vitest';
import { makeParcel } from '../../../../test/factories.ts';
import { codeIn, createLookupDesk } from '../../../../test/order-lookups.ts';
import { openTestShop } from '../../../../test/test-shop.ts';
import { DAY_MS, MINUTE_MS } from '../../../shared/durations.ts';
import { orderNumber } from '../../../shared/format.ts';
import type { OpenedOrder } from '../../../shared/order-page.ts';
import { removeEndedRows } from '../retention/retention.ts';
import { orderLookupMails } from './look-up-order.ts';

const shop = await openTestShop();
const desk = createLookupDesk(shop);

async function openByMail(email: string, number: string): Promise<OpenedOrder> {
  const lookupId = await desk.askFor(email, number);
  const { status, body } = await desk.open(lookupId, await desk.codeOf(lookupId));
  expect(status).toBe(200);
  return body.data as unknown as OpenedOrder;
}

const itemsOf = ({ delivered }: OpenedOrder) => delivered?.items.flatMap(({ items }) => items);

describe('a lookup with the mailed code', () => {
  it('opens the order with its items and records the reveal without a user', async () => {
    const { orderId, number, key } = await desk.buy('opens@example.com');
    const lookupId = await desk.askFor('opens@example.com', number);
    const opened = await desk.open(lookupId, await desk.codeOf(lookupId));
    expect(opened.headers.get('cache-control')).toBe('no-store');
    const data = opened.body.data as unknown as OpenedOrder;
    expect(data.order).toMatchObject({ _id: orderId, status: 'Delivered', totalPrice: 10.6 });
    expect(itemsOf(data)).toMatchObject([{ content: key, viewed: false }]);
    const ledger = await shop.deps.db
      .selectFrom('reveals')
      .select(['user_id', 'ip'])
      .where('order_id', '=', orderId)
      .execute();
    expect(ledger).toEqual([{ user_id: null, ip: '127.0.0.1' }]);
    expect(itemsOf(await openByMail('opens@example.com', number))).toMatchObject([{ viewed: true }]);
  });

  it('opens an order of physical goods, without secrets', async () => {
    const orderId = await makeParcel(shop.deps, { contact_email: 'parcel@example.com' });
    expect(await openByMail('parcel@example.com', orderNumber(orderId))).toMatchObject({
      order: { _id: orderId, orderType: 'physical', status: 'Processing', shippingAddress: { city: 'Ipoh' } },
      delivered: null,
    });
  });

  it('opens a refunded order without secrets', async () => {
    const { orderId, number } = await desk.buy('refunded@example.com');
    await shop.deps.db.updateTable('orders').set({ state: 'refunded' }).where('id', '=', orderId).execute();
    const opened = await openByMail('refunded@example.com', number);
    expect(opened).toMatchObject({ order: { status: 'Cancelled' }, delivered: null });
  });
});

describe('the mail', () => {
  it('has the order number and the code in both parts, and no item', async () => {
    const { number, key } = await desk.buy('mail@example.com');
    const mail = await desk.mailOf(await desk.askFor('mail@example.com', number));
    expect(mail).toMatchObject({ to: 'mail@example.com', subject: `Your code for order ${number}` });
    for (const part of [mail?.text, mail?.html]) {
      expect(part).toContain(codeIn(mail));
      expect(part).toContain('It works once, within 10 minutes.');
    }
    expect(mail?.source).not.toContain(key);
  });

  it.each([
    ['with a #', (number: string) => `#${number}`],
    ['in small letters', (number: string) => ` ${number.toLowerCase()} `],
  ])('is sent for an order number %s', async (_, written) => {
    const { number } = await desk.buy('written@example.com');
    expect(await desk.mailOf(await desk.askFor(' Written@Example.com', written(number)))).toBeDefined();
  });

  it.each([
    ['an order that was not paid', async () => desk.buy('nothing@example.com', { pay: false })],
    ['an order of another address', async () => desk.buy('another@example.com')],
    ['a number that is no order', async () => ({ number: '00000000' })],
  ])('is not sent for %s', async (_, make) => {
    const { number } = await make();
    const lookupId = await desk.askFor('nothing@example.com', number);
    expect(await desk.mailOf(lookupId)).toBeUndefined();
    const mails = await shop.deps.db
      .selectFrom('mails')
      .select(['recipient', 'sent_at'])
      .where('verification_id', '=', lookupId)
      .execute();
    expect(mails).toEqual([{ recipient: '', sent_at: null }]);
    // The address of a stranger is not kept either.
    const lookup = shop.deps.db.selectFrom('verifications').select('email').where('id', '=', lookupId);
    expect(await lookup.execute()).toEqual([{ email: null }]);
  });

  it('is sent at most three times an hour, even for concurrent requests', async () => {
    const { number } = await desk.buy('often@example.com');
    const ask = () => desk.askFor('often@example.com', number);
    const lookups = await Promise.all(Array.from({ length: 8 }, ask));
    const mails = await Promise.all(lookups.map((id) => desk.mailOf(id)));
    expect(mails.filter((mail) => mail !== undefined)).toHaveLength(3);
    shop.pass(60 * MINUTE_MS);
    expect(await desk.mailOf(await ask())).toBeDefined();
  });

  it('is sent although three were sent while the clock was a day ahead', async () => {
    const { number } = await desk.buy('ahead@example.com');
    const ask = async () => desk.mailOf(await desk.askFor('ahead@example.com', number));
    shop.pass(DAY_MS);
    for (const _ of [1, 2, 3]) expect(await ask()).toBeDefined();
    shop.pass(-DAY_MS);
    expect(await ask()).toBeDefined();
  });

  it('is not sent after its code has expired', async () => {
    const { number } = await desk.buy('late@example.com');
    const lookupId = await desk.askFor('late@example.com', number);
    await desk.codeOf(lookupId);
    const { expires_at: end } = await shop.deps.db
      .selectFrom('verifications')
      .select('expires_at')
      .where('id', '=', lookupId)
      .executeTakeFirstOrThrow();
    const contentAt = (now: Date) =>
      shop.deps.db.transaction().execute(async (trx) => {
        const mail = await trx
          .selectFrom('mails')
          .selectAll()
          .where('verification_id', '=', lookupId)
          .executeTakeFirstOrThrow();
        return orderLookupMails['order-lookup']({ ...shop.deps, clock: { now: () => now } }, trx, mail);
      });
    expect(await contentAt(new Date(end.getTime() - 1))).toBeDefined();
    expect(await contentAt(end)).toBeUndefined();
  });
});

it.each([
  [{ email: 'no address', orderNumber: '0123ABCD' }, 'email'],
  [{ email: 'a@example.com', orderNumber: '0123ABC' }, 'orderNumber'],
  [{ email: 'a@example.com', orderNumber: "'OR 1=1" }, 'orderNumber'],
  [{ email: 'a@example.com', orderNumber: ['0123ABCD'] }, 'orderNumber'],
])('a lookup with %j is refused', async ({ email, orderNumber: number }, field) => {
  expect(await desk.ask(email, number as string)).toMatchObject({ status: 400, body: { field } });
});

it('a lookup and its mails are removed a day later', async () => {
  const lookupId = await desk.askFor('forget@example.com', '0123ABCD');
  await desk.mailOf(lookupId);
  const kept = async () => ({
    lookups: (await shop.deps.db.selectFrom('verifications').select('id').where('id', '=', lookupId).execute()).length,
    mails: (await shop.deps.db.selectFrom('mails').select('id').where('verification_id', '=', lookupId).execute())
      .length,
  });
  const inHours = (hours: number) => new Date(shop.deps.clock.now().getTime() + hours * 60 * MINUTE_MS);
  await removeEndedRows(shop.deps.db, inHours(23));
  expect(await kept()).toEqual({ lookups: 1, mails: 1 });
  await removeEndedRows(shop.deps.db, inHours(25));
  expect(await kept()).toEqual({ lookups: 0, mails: 0 });
});
