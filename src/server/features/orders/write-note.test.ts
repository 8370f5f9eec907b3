import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { openAdminOrders } from '../../../../test/admin-orders.ts';
import { findLeaks, readDatabase } from '../../../../test/faults/canary-scan.ts';
import { readAuditOf } from '../../../../test/order-checks.ts';
import { buyAsGuest } from '../../../../test/purchases.ts';
import { openTestShop } from '../../../../test/test-shop.ts';

const shop = await openTestShop();
const [desk, other] = [await openAdminOrders(shop), await openAdminOrders(shop)];

const write = (orderId: string, body: object, by = desk) => by.act(orderId, 'notes', body);

test('a note is shown to administrators, newest first, but not to the buyer or in a log', async () => {
  const { orderId, buyer } = await buyAsGuest(shop, { quantity: 1 });
  const [first, second] = [`Called ${randomUUID()}`, `Wrote back\nin two lines ${randomUUID()}`];
  expect((await write(orderId, { text: first })).status).toBe(200);
  shop.pass(1_000);
  await write(orderId, { text: `  ${second}\n` }, other);
  expect((await desk.page(orderId)).notes).toMatchObject([
    { text: second, author: other.email },
    { text: first, author: desk.email },
  ]);
  const seenByBuyer = [
    await buyer.get('/api/digital-orders/myorders'),
    await buyer.get(`/api/digital-orders/${orderId}/items`),
  ];
  const audit = await readAuditOf(shop.deps.db, orderId);
  expect(audit.map(({ action, actor }) => [action, actor])).toEqual([
    ['order.note-written', desk.email],
    ['order.note-written', other.email],
  ]);
  const elsewhere = [
    ...shop.logLines,
    JSON.stringify(audit),
    JSON.stringify(seenByBuyer.map(({ body }) => body)),
  ].join();
  for (const text of [first, second.slice(-36)]) expect(elsewhere).not.toContain(text);
});

test('a note sent twice by the same form is written once, and needs text and an existing order', async () => {
  const { orderId } = await buyAsGuest(shop, { quantity: 1 });
  const note = { text: 'Once', draft: randomUUID() };
  await write(orderId, { text: 'Another' });
  const answers = await Promise.all([write(orderId, note), write(orderId, note)]);
  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  expect((await desk.page(orderId)).notes.map(({ text }) => text).sort()).toEqual(['Another', 'Once']);
  for (const text of [' \n', 'x'.repeat(2_001), 1]) expect((await write(orderId, { text })).status).toBe(400);
  expect((await write(randomUUID(), { text: 'To nobody' })).status).toBe(404);
});

test('a note sent again by the same form with other text is refused, and its text can be sent as new', async () => {
  const { orderId } = await buyAsGuest(shop, { quantity: 1 });
  const note = { text: 'He called', draft: randomUUID() };
  await write(orderId, note);
  const refused = { status: 409, body: { code: 'EDIT_CONFLICT', field: 'draft' } };
  expect(await write(orderId, { ...note, text: 'She called' })).toMatchObject(refused);
  expect(await write((await buyAsGuest(shop, { quantity: 1 })).orderId, note)).toMatchObject(refused);
  expect((await write(orderId, { text: 'She called' })).page.notes).toHaveLength(2);
});

test('a key that an administrator types into a note or a reason is stored masked, also in audit log and mails', async () => {
  const { orderId, keys } = await buyAsGuest(shop, { quantity: 1 });
  const [key = ''] = await keys();
  expect((await write(orderId, { text: `He wrote: ${key} is used` })).page.notes).toMatchObject([
    { text: expect.stringMatching(/^He wrote: KEY-•+\S+ is used$/) },
  ]);
  const message = `Sorry about ${key}`.padEnd(300, '.');
  const refund = { reason: `${key} is used`, message, draft: randomUUID() };
  for (const _ of [1, 2]) expect((await desk.act(orderId, 'refund', refund)).status).toBe(200);
  expect(findLeaks(await readDatabase(shop.deps.db), [key])).toEqual([]);
});
