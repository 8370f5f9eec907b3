import sharp from 'sharp';
import { v7 as uuidv7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import { openReportDesk } from '../../../../test/problem-reports.ts';
import { signedIn } from '../../../../test/signed-in.ts';
import { openTestShop } from '../../../../test/test-shop.ts';
import { DAY_MS } from '../../../shared/durations.ts';
import { MAX_BUYER_MESSAGES } from './report-problem.ts';

const shop = await openTestShop();
const desk = await openReportDesk(shop);

const storedMessages = async () =>
  (await shop.deps.db.selectFrom('report_messages').selectAll().execute()).map((row) => JSON.stringify(row)).join();

describe('a report', () => {
  it('is opened by the buyer of a delivered item, with the answer deadline and the end of the warranty', async () => {
    const { orderId, itemIds, report, buyer } = await desk.buy({ quantity: 2, warranty_days: 30 });
    const { status, reports, answerDays } = await report();
    expect([status, answerDays, reports.length]).toEqual([201, 2, 1]);
    const [opened] = reports;
    expect(opened).toMatchObject({
      order: orderId,
      item: { _id: itemIds[0], number: 1 },
      problem: 'used',
      state: 'open',
      outcome: null,
      isOverdue: false,
      messages: [{ side: 'buyer', message: 'It says: already redeemed', picture: 'none' }],
    });
    expect(Date.parse(opened?.answerBy ?? '') - Date.parse(opened?.openedAt ?? '')).toBe(2 * DAY_MS);
    const { delivered_at } = await desk.item(itemIds[0] ?? '');
    expect(Date.parse(opened?.item.warrantyUntil ?? '')).toBe((delivered_at?.getTime() ?? 0) + 30 * DAY_MS);
    const asked = await buyer.get(`/api/problem-reports?order=${orderId}`);
    expect(asked.body.data?.['reports']).toEqual(reports);
  });

  it('is opened once per form, and once per item until it is closed', async () => {
    const { report, itemIds } = await desk.buy({ quantity: 1 });
    const draft = uuidv7();
    const both = await Promise.all([report({ draft }), report({ draft })]);
    expect(both.map(({ status }) => status)).toEqual([201, 201]);
    expect((await report({ draft })).reports).toHaveLength(1);
    expect(await report()).toMatchObject({ status: 409, code: 'REPORT_REFUSED' });
    const atOnce = await desk.buy({ quantity: 1 });
    const statuses = (await Promise.all([atOnce.report(), atOnce.report()])).map(({ status }) => status);
    expect(statuses.sort()).toEqual([201, 409]);
    expect(itemIds).toHaveLength(1);
  });

  it('is not found for an order of another buyer or an item of another order', async () => {
    const mine = await desk.buy({ quantity: 1 });
    const { orderId, itemIds, report } = await desk.buy({ quantity: 1 });
    expect(await report({ by: mine.buyer })).toMatchObject({ status: 404, code: 'NOT_FOUND' });
    expect(await report({ item: mine.itemIds[0] })).toMatchObject({ status: 404, code: 'NOT_FOUND' });
    expect(await report({ by: await signedIn(shop, { role: 'admin' }) })).toMatchObject({ status: 404 });
    expect((await mine.buyer.get(`/api/problem-reports?order=${orderId}`)).status).toBe(404);
    const [opened] = (await report()).reports;
    for (const [method, path] of [
      ['POST', 'messages'],
      ['POST', 'withdraw'],
      ['GET', `pictures/${opened?.messages[0]?._id}`],
    ] as const) {
      const body = method === 'POST' ? { text: 'Mine!', draft: uuidv7() } : undefined;
      const answer = await mine.buyer.send(method, `/api/problem-reports/${opened?._id}/${path}`, body);
      expect([path, answer.status]).toEqual([path, 404]);
    }
    expect(itemIds).toHaveLength(1);
  });

  it('is refused without warranty, after the end of the warranty and for a refunded item', async () => {
    const none = await desk.buy({ quantity: 1, warranty_days: 0 });
    expect(await none.report()).toMatchObject({ status: 409, code: 'REPORT_REFUSED' });
    const returned = await desk.buy({ quantity: 1 });
    await desk.orders.act(returned.orderId, 'refund', { reason: 'Returned' });
    expect(await returned.report()).toMatchObject({ status: 409, code: 'REPORT_REFUSED' });

    const edge = await desk.buy({ quantity: 2, warranty_days: 1 });
    const endsIn = async () => {
      const { delivered_at } = await desk.item(edge.itemIds[0] ?? '');
      return (delivered_at?.getTime() ?? 0) + DAY_MS - shop.deps.clock.now().getTime();
    };
    await desk.pass((await endsIn()) - 60_000);
    expect((await edge.report()).status).toBe(201);
    await desk.pass(await endsIn());
    expect(await edge.report({ item: edge.itemIds[1] })).toMatchObject({ status: 409, code: 'REPORT_REFUSED' });
  });

  it('takes messages of both sides until it is withdrawn, and is overdue from its deadline on', async () => {
    const { buyer, report, reply } = await desk.buy({ quantity: 1 });
    const [opened] = (await report()).reports;
    const id = opened?._id ?? '';
    await desk.pass(2 * DAY_MS - 60_000);
    expect(await desk.page(id)).toMatchObject({ isOverdue: false });
    await desk.pass(60_000);
    expect(await desk.page(id)).toMatchObject({ isOverdue: true });
    expect((await desk.queue()).find((one) => one._id === id)).toMatchObject({ isOverdue: true });

    const answered = await desk.answer(id, { text: 'Which platform?' });
    expect(answered.report).toMatchObject({ state: 'answered', answerBy: null, isOverdue: false });
    const [afterReply] = (await reply(id, { text: 'Steam' })).reports;
    expect(afterReply).toMatchObject({
      state: 'open',
      messages: [{}, { side: 'shop', message: 'Which platform?' }, {}],
    });
    await desk.pass(DAY_MS);
    // A second message does not give the shop more time.
    const [again] = (await reply(id, { text: 'Hello?' })).reports;
    expect(again?.answerBy).toBe(afterReply?.answerBy);

    expect((await buyer.post(`/api/problem-reports/${id}/withdraw`)).status).toBe(200);
    expect(await desk.page(id)).toMatchObject({ state: 'closed', outcome: 'withdrawn', answerBy: null });
    expect(await reply(id)).toMatchObject({ status: 409, code: 'REPORT_REFUSED' });
    expect((await buyer.post(`/api/problem-reports/${id}/withdraw`)).status).toBe(409);
    expect(await desk.answer(id)).toMatchObject({ status: 409, code: 'REPORT_REFUSED' });
  });

  it('takes a repeated reply once, and at most twenty messages of the buyer', async () => {
    const { report, reply } = await desk.buy({ quantity: 1 });
    const id = (await report()).reports[0]?._id ?? '';
    const draft = uuidv7();
    await Promise.all([reply(id, { draft }), reply(id, { draft })]);
    expect((await reply(id, { draft })).reports[0]?.messages).toHaveLength(2);
    for (let written = 2; written < MAX_BUYER_MESSAGES; written += 1) expect((await reply(id)).status).toBe(201);
    expect(await reply(id)).toMatchObject({ status: 409, code: 'REPORT_REFUSED' });
    const other = await desk.buy({ quantity: 1 });
    const [opened] = (await other.report()).reports;
    // A draft that is the id of a message in another report.
    expect(await other.reply(opened?._id ?? '', { draft })).toMatchObject({ status: 409, code: 'REPORT_REFUSED' });
  });

  it('is refused when the same form sends it with other text, problem or picture, and so is a reply', async () => {
    const { report, reply, itemIds, keys } = await desk.buy({ quantity: 2 });
    const picture = (background: string) =>
      sharp({ create: { width: 9, height: 9, channels: 3, background } })
        .png()
        .toBuffer();
    const [red, blue] = (await Promise.all(['#c00', '#00c'].map(picture))).map((file) => file.toString('base64'));
    const refused = { status: 409, code: 'REPORT_REFUSED' };

    const [key] = await keys();
    const written = { text: `My key ${key} fails`, draft: uuidv7() };
    const id = (await report(written)).reports[0]?._id ?? '';
    expect((await report(written)).status).toBe(201);
    for (const other of [{ text: 'It fails' }, { problem: 'invalid' }, { picture: red }, { item: itemIds[1] }]) {
      expect(await report({ ...written, ...other })).toMatchObject(refused);
    }

    const message = { text: 'See here', picture: red, draft: uuidv7() };
    expect((await reply(id, message)).status).toBe(201);
    expect((await reply(id, message)).status).toBe(201);
    for (const other of [{ text: 'See there' }, { picture: undefined }, { picture: blue }]) {
      expect(await reply(id, { ...message, ...other })).toMatchObject(refused);
    }
    expect((await desk.page(id)).messages).toHaveLength(2);
  });

  it('is found by product, order number, name and email of its buyer, among open and closed reports', async () => {
    const { orderId, products, guest, report, buyer } = await desk.buy({ quantity: 1, name: 'Moon_Rover 50%' });
    await (await desk.buy({ quantity: 1, name: 'MoonXRover 500' })).report();
    const [opened] = (await report()).reports;
    const find = async (q: string, closed = {}) => {
      const { body } = await desk.orders.admin.get(
        `/api/admin/problem-reports?${new URLSearchParams({ q, ...closed })}`,
      );
      const { data, total } = body as unknown as { data: { _id: string }[]; total: number };
      expect(total).toBe(data.length);
      return data.map(({ _id }) => _id);
    };
    const number = orderId.slice(-8);
    const words = [products[0]?.name ?? '', 'moon_', '50%', number, `#${number.toUpperCase()}`, guest.email];
    for (const q of words) expect([q, await find(q)]).toEqual([q, [opened?._id]]);
    expect(await find('moon')).toHaveLength(2);
    expect(await find(guest.email, { closed: 'true' })).toEqual([]);
    await buyer.post(`/api/problem-reports/${opened?._id}/withdraw`, {});
    expect(await find(guest.email)).toEqual([]);
    expect(await find(number, { closed: 'true' })).toEqual([opened?._id]);
  });

  it('is stored encrypted, with a key that the buyer typed masked', async () => {
    const { keys, orderId, report } = await desk.buy({ quantity: 1 });
    const [key = ''] = await keys();
    const text = `My key ${key.toLowerCase()} is "used" <b>already</b>`;
    const [opened] = (await report({ text })).reports;
    const shown = opened?.messages[0]?.message;
    expect(shown).toMatch(/^My key KEY-•+\S+ is "used" <b>already<\/b>$/);
    expect(await storedMessages()).not.toContain('already</b>');
    const { db } = shop.deps;
    await db
      .updateTable('report_messages')
      .set({ ciphertext: Buffer.alloc(40) })
      .where('report_id', '=', opened?._id ?? '')
      .execute();
    expect((await desk.page(opened?._id ?? '')).messages).toMatchObject([{ message: null }]);
    const alerts = db.selectFrom('alerts').select(['kind', 'subject']).where('order_id', '=', orderId);
    expect(await alerts.execute()).toEqual([{ kind: 'unreadable-item', subject: opened?.messages[0]?._id }]);
  });

  it('is shown with the keys of all items of the order masked', async () => {
    const { keys, report } = await desk.buy({ quantity: 3 });
    const typed = await keys();
    const [opened] = (await report({ text: `Used before: ${typed.join(', ')}.` })).reports;
    const shown = opened?.messages[0]?.message;
    expect(shown).toMatch(/^Used before: KEY-•+\S+, KEY-•+\S+, KEY-•+\S+\.$/);
  });
});

describe('a picture', () => {
  const photo = (width = 2000, height = 1000) =>
    sharp({ create: { width, height, channels: 3, background: '#c33' } }).withExif({ IFD0: { Copyright: 'Place' } });

  it('is re-encoded without metadata, at most 1600 pixels wide, and shown only to the buyer and administrators', async () => {
    const { buyer, orderId, report } = await desk.buy({ quantity: 1 });
    const [opened] = (await report({ picture: (await photo().jpeg().toBuffer()).toString('base64') })).reports;
    const [message] = opened?.messages ?? [];
    expect(message?.picture).toBe('kept');
    const path = `problem-reports/${opened?._id}/pictures/${message?._id}`;
    for (const [by, where] of [
      [buyer, `/api/${path}`],
      [desk.orders.admin, `/api/admin/${path}`],
    ] as const) {
      const { headers, body } = await by.get(where);
      expect(headers.get('cache-control')).toBe('no-store');
      const picture = Buffer.from(String(body.data?.['webp']), 'base64');
      const metadata = await sharp(picture).metadata();
      expect(metadata).toMatchObject({ format: 'webp', width: 1600, height: 800 });
      expect(metadata).not.toHaveProperty('exif');
      const stored = await shop.deps.db.selectFrom('report_pictures').select('ciphertext').execute();
      expect(stored.some(({ ciphertext }) => ciphertext.includes(picture.subarray(0, 12)))).toBe(false);
    }
    // An administrator has no access as a buyer, and a picture belongs to one report.
    expect((await desk.orders.admin.get(`/api/${path}`)).status).toBe(404);
    expect((await buyer.get(`/api/admin/${path}`)).status).toBe(403);
    const other = (await (await desk.buy({ quantity: 1 })).report()).reports[0]?._id;
    expect((await desk.orders.admin.get(`/api/admin/problem-reports/${other}/pictures/${message?._id}`)).status).toBe(
      404,
    );

    const { db } = shop.deps;
    const altered = db.updateTable('report_pictures').set({ ciphertext: Buffer.alloc(40) });
    await altered.where('message_id', '=', message?._id ?? '').execute();
    expect((await buyer.get(`/api/${path}`)).status).toBe(404);
    const alerts = db.selectFrom('alerts').select(['kind', 'subject']).where('order_id', '=', orderId);
    expect(await alerts.execute()).toEqual([{ kind: 'unreadable-item', subject: message?._id }]);

    await db
      .deleteFrom('report_pictures')
      .where('message_id', '=', message?._id ?? '')
      .execute();
    expect((await desk.page(opened?._id ?? '')).messages).toMatchObject([{ picture: 'removed' }]);
    expect((await buyer.get(`/api/${path}`)).status).toBe(404);
  });

  it('is refused after 20 pictures of its buyer in a day, but not a message without one', async () => {
    const limited = await openReportDesk(await openTestShop({ settings: { RATE_LIMITS: 'on' } }));
    const { itemIds, report, reply } = await limited.buy({ quantity: 2 });
    const picture = (await photo(1, 1).png().toBuffer()).toString('base64');
    const id = (await report({ picture })).reports[0]?._id ?? '';
    for (let sent = 1; sent < 20; sent += 1) expect((await reply(id, { picture })).status).toBe(201);
    expect(await report({ item: itemIds[1], picture })).toMatchObject({ status: 429, code: 'RATE_LIMITED' });
    expect((await report({ item: itemIds[1] })).status).toBe(201);
  });

  it.each([
    ['is no picture', Buffer.from('<svg onload="alert(1)"/>'), 400],
    ['is cut off', Buffer.from('89504e470d0a1a0a0000', 'hex'), 400],
    ['is too large', Buffer.alloc(5 * 1024 * 1024 + 3), 400],
    ['is far too large', Buffer.alloc(9 * 1024 * 1024), 413],
  ])('is refused with the whole report when it %s', async (_, picture, status) => {
    const { report, orderId, buyer } = await desk.buy({ quantity: 1 });
    expect(await report({ picture: picture.toString('base64') })).toMatchObject({ status });
    const { body } = await buyer.get(`/api/problem-reports?order=${orderId}`);
    expect(body.data?.['reports']).toEqual([]);
  });
});
