import { v7 as uuidv7 } from 'uuid';
import type { ItemRow } from '../src/server/platform/database/tables.ts';
import type { AdminReport, ListedReport, ProblemReport } from '../src/shared/problem-reports.ts';
import { type AdminOrders, openAdminOrders } from './admin-orders.ts';
import type { Input } from './hostile-inputs.ts';
import { type Bought, buyAsGuest } from './purchases.ts';
import type { Answer, Shopper } from './shopper.ts';
import { newTokenOf } from './signed-in.ts';
import type { TestShop } from './test-shop.ts';

interface BuyerAnswer {
  status: number;
  code: string | undefined;
  answerDays: number | undefined;
  reports: ProblemReport[];
}

interface ReportedOrder extends Bought {
  /** Ids of the first line's items, by unit. */
  itemIds: string[];
  /** Reports the first item, unless the body says otherwise. */
  report(body?: { by?: Shopper; [field: string]: unknown }): Promise<BuyerAnswer>;
  reply(reportId: string, body?: object): Promise<BuyerAnswer>;
}

type AdminAnswer = Answer & { code: string | undefined; report: AdminReport };

/** Lets buyers report problems and an administrator answer them. */
export interface ReportDesk {
  orders: AdminOrders;
  /** Advances the clock, and signs everybody in again, as sessions may have expired. */
  pass(milliseconds: number): Promise<void>;
  buy(units: Parameters<typeof buyAsGuest>[1]): Promise<ReportedOrder>;
  /** Returns the report calls of an order that another function bought; its items must be delivered. */
  reportsOf(bought: Bought): Promise<ReportedOrder>;
  item(id: string): Promise<ItemRow>;
  page(reportId: string): Promise<AdminReport>;
  act(reportId: string, action: 'answer' | 'replace' | 'refund', body?: object): Promise<AdminAnswer>;
  answer(reportId: string, body?: object): Promise<AdminAnswer>;
  /** Returns the reports of all pages. */
  queue(query?: Record<string, string>): Promise<ListedReport[]>;
}

export async function openReportDesk(shop: TestShop): Promise<ReportDesk> {
  const orders = await openAdminOrders(shop);
  const { admin } = orders;
  const people: [Shopper, email: string][] = [[admin, orders.email]];
  const item = (id: string) =>
    shop.deps.db.selectFrom('items').selectAll().where('id', '=', id).executeTakeFirstOrThrow();

  const buy: ReportDesk['buy'] = async (units) => reportsOf(await buyAsGuest(shop, { warranty_days: 30, ...units }));

  async function reportsOf(bought: Bought): Promise<ReportedOrder> {
    people.push([bought.buyer, bought.guest.email]);
    const [line] = (await orders.page(bought.orderId)).lines;
    const itemIds = (line?.items ?? []).map(({ _id }) => _id);
    const first = { order: bought.orderId, item: itemIds[0], problem: 'used', text: 'It says: already redeemed' };
    return {
      ...bought,
      itemIds,
      report: async ({ by = bought.buyer, ...body } = {}) =>
        answerOf(await by.post('/api/problem-reports', { ...first, draft: uuidv7(), ...body })),
      reply: async (id, body = {}) =>
        answerOf(
          await bought.buyer.post(`/api/problem-reports/${id}/messages`, { text: 'Hello', draft: uuidv7(), ...body }),
        ),
    };
  }

  const page = async (id: string) =>
    (await admin.get(`/api/admin/problem-reports/${id}`)).body.data as unknown as AdminReport;
  const act: ReportDesk['act'] = async (id, action, body = {}) => {
    const lastMessage = (await page(id)).messages.at(-1)?._id;
    const message = action === 'answer' && { text: 'Thank you', draft: uuidv7(), close: false };
    const answer = await admin.post(`/api/admin/problem-reports/${id}/${action}`, { lastMessage, ...message, ...body });
    return { ...answer, code: answer.body.code, report: answer.body.data as unknown as AdminReport };
  };

  async function queue(query: Record<string, string> = {}): Promise<ListedReport[]> {
    const found: ListedReport[] = [];
    let cursor: unknown;
    do {
      const search = new URLSearchParams({ ...query, ...(typeof cursor === 'string' && { cursor }) });
      const { body } = await admin.get(`/api/admin/problem-reports?${search}`);
      found.push(...(body.data as unknown as ListedReport[]));
      cursor = body['nextCursor'];
    } while (typeof cursor === 'string');
    return found;
  }

  async function pass(milliseconds: number): Promise<void> {
    shop.pass(milliseconds);
    for (const [browser, email] of people) {
      const user = await shop.deps.db
        .selectFrom('users')
        .selectAll()
        .where('email', '=', email)
        .executeTakeFirstOrThrow();
      browser.setToken(await newTokenOf(shop.deps, user));
    }
  }

  return { orders, pass, buy, reportsOf, item, page, act, answer: (id, body) => act(id, 'answer', body), queue };
}

function answerOf({ status, body }: Answer): BuyerAnswer {
  const { answerDays, reports = [] } = (body.data ?? {}) as Partial<BuyerAnswer>;
  return { status, code: body.code, answerDays, reports };
}

/** Returns a call of each endpoint about reports, each with a new report, made by a person who is allowed to. */
export function callsOfReports(desk: () => ReportDesk) {
  const place = ['2026-01-01 00:00:00+00', '01900000-0000-7000-8000-000000000000'];
  const cursor = Buffer.from(JSON.stringify(place)).toString('base64url');
  const writing = () => ({ text: 'It says no', draft: uuidv7() });
  const call =
    (by: 'buyer' | 'admin', inputOf: (made: Record<'order' | 'item' | 'id' | 'messageId', string>) => Input) =>
    async () => {
      const { buyer, orderId, itemIds, report } = await desk().buy({ quantity: 2 });
      const [opened] = (await report()).reports;
      const [id = '', messageId = ''] = [opened?._id, opened?.messages[0]?._id];
      const input = inputOf({ order: orderId, item: itemIds[1] ?? '', id, messageId });
      return { by: by === 'buyer' ? buyer : desk().orders.admin, ...input };
    };
  const answer = (words: object = {}) =>
    call('admin', ({ id, messageId }) => ({ params: { id }, body: { ...words, lastMessage: messageId } }));
  return {
    'GET /problem-reports': call('buyer', ({ order }) => ({ query: { order } })),
    'POST /problem-reports': call('buyer', ({ order, item }) => ({
      body: { order, item, problem: 'used', ...writing() },
    })),
    'POST /problem-reports/:id/messages': call('buyer', ({ id }) => ({ params: { id }, body: writing() })),
    'POST /problem-reports/:id/withdraw': call('buyer', ({ id }) => ({ params: { id } })),
    'GET /problem-reports/:id/pictures/:messageId': call('buyer', ({ id, messageId }) => ({
      params: { id, messageId },
    })),
    'GET /admin/problem-reports': call('admin', () => ({ query: { q: 'x', limit: '5', cursor, closed: 'true' } })),
    'GET /admin/problem-reports/:id': call('admin', ({ id }) => ({ params: { id } })),
    'GET /admin/problem-reports/:id/pictures/:messageId': call('admin', ({ id, messageId }) => ({
      params: { id, messageId },
    })),
    'POST /admin/problem-reports/:id/answer': () => answer({ ...writing(), close: false })(),
    'POST /admin/problem-reports/:id/replace': answer(),
    'POST /admin/problem-reports/:id/refund': answer(),
  };
}
