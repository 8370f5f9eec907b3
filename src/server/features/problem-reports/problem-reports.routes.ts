import { DAY_MS } from '../../../shared/durations.ts';
import { orNotFound } from '../../../shared/errors.ts';
import type {
  AdminReport,
  ListedReport,
  ReportHead,
  ReportMessage,
  ReportsOfOrder,
} from '../../../shared/problem-reports.ts';
import type { Deps } from '../../deps.ts';
import { fromColumns } from '../../platform/crypto/item-cipher.ts';
import type { AdminActor, ChangeCall, Route } from '../../platform/http/route.ts';
import { decryptUnlessAltered } from '../admin/alerts.queries.ts';
import { maskItem } from '../inventory/item-actions.ts';
import { warrantyEnd } from '../orders/order-status.ts';
import { assertOwnOrder } from '../orders/orders.queries.ts';
import { answerReport, refundReported, replaceReported } from './answer-report.ts';
import {
  type AdminReportRow,
  findAdminReport,
  findPicture,
  getReportedItem,
  type ItemReport,
  listMessages,
  listReports,
  listReportsOfOrder,
  type MessageRow,
} from './problem-reports.queries.ts';
import { getOwnReport, replyToShop, reportProblem, withdrawReport } from './report-problem.ts';

export function problemReportsRoutes(route: Route, deps: Deps): void {
  const ofOrder = async (orderId: string) => ({ data: await readReportsOfOrder(deps, orderId) });

  const pageOf = async (id: string) => ({ data: await readAdminReport(deps, id) });
  async function changed<B>(
    { params: { id: reportId }, body, actor }: ChangeCall<B>,
    change: (deps: Deps, input: B & { reportId: string; actor: AdminActor }) => Promise<void>,
  ) {
    await change(deps, { ...body, reportId, actor });
    return pageOf(reportId);
  }

  route('GET /problem-reports', async ({ query: { order }, viewer: { userId } }) => {
    await assertOwnOrder(deps.db, order, userId);
    return ofOrder(order);
  });

  route('POST /problem-reports', async ({ body: { order, item, ...body }, viewer: { userId } }) => {
    await reportProblem(deps, { ...body, orderId: order, itemId: item, userId });
    return ofOrder(order);
  });

  route('POST /problem-reports/:id/messages', async ({ params, body, viewer: { userId } }) =>
    ofOrder(await replyToShop(deps, { ...body, reportId: params.id, userId })),
  );

  route('POST /problem-reports/:id/withdraw', async ({ params, viewer: { userId } }) =>
    ofOrder(await withdrawReport(deps, { reportId: params.id, userId })),
  );

  route('GET /problem-reports/:id/pictures/:messageId', async ({ params, viewer: { userId } }) => {
    await getOwnReport(deps.db, params.id, userId);
    return { data: await readPicture(deps, params) };
  });

  route('GET /admin/problem-reports', async ({ query }) => {
    const { rows, ...page } = await listReports(deps.db, query);
    return { data: rows.map((row) => presentListed(deps, row)), ...page };
  });

  route('GET /admin/problem-reports/:id', ({ params }) => pageOf(params.id));

  route('GET /admin/problem-reports/:id/pictures/:messageId', async ({ params }) => ({
    data: await readPicture(deps, params),
  }));

  route('POST /admin/problem-reports/:id/answer', (call) => changed(call, answerReport));
  route('POST /admin/problem-reports/:id/replace', (call) => changed(call, replaceReported));
  route('POST /admin/problem-reports/:id/refund', (call) => changed(call, refundReported));
}

/** The reports of an order with their conversations, as its buyer may see them. */
async function readReportsOfOrder(deps: Deps, orderId: string): Promise<ReportsOfOrder> {
  const reports = await listReportsOfOrder(deps.db, orderId);
  const ids = reports.map(({ id }) => id);
  const messages = ids.length === 0 ? [] : await listMessages(deps.db, ids);
  return {
    answerDays: deps.config.reportAnswerDays,
    reports: await Promise.all(
      reports.map(async (report) => {
        const ofReport = messages.filter(({ report_id }) => report_id === report.id);
        return {
          ...presentHead(deps, report),
          messages: await Promise.all(ofReport.map((row) => presentMessage(deps, row, orderId))),
        };
      }),
    ),
  };
}

/** Throws NOT_FOUND. */
async function readAdminReport(deps: Deps, id: string): Promise<AdminReport> {
  const report = orNotFound(await findAdminReport(deps.db, id), 'Problem report not found');
  const messages = (await listMessages(deps.db, [id])).map(async (row) => ({
    ...(await presentMessage(deps, row, report.order_id)),
    actor: row.actor ?? '',
  }));
  const listed = presentListed(deps, report);
  const item = await getReportedItem(deps.db, report);
  return {
    ...listed,
    messages: await Promise.all(messages),
    item: { ...listed.item, masked: await maskItem(deps, item), state: item.state },
    // Never null here: reports are about digital lines.
    delivery: report.delivery ?? 'unique',
    available: report.available,
  };
}

const presentListed = (deps: Deps, report: AdminReportRow): ListedReport => ({
  ...presentHead(deps, report),
  customer: report.customer,
  email: report.email,
});

function presentHead({ config, clock }: Deps, report: ItemReport): ReportHead {
  const { waiting_since: waitingSince, closed_at: closedAt } = report;
  const answerBy = waitingSince && new Date(waitingSince.getTime() + config.reportAnswerDays * DAY_MS);
  return {
    _id: report.id,
    order: report.order_id,
    item: {
      _id: report.item_id,
      number: report.unit,
      line: report.line_id,
      productName: report.product_name,
      image: report.image,
      category: report.category,
      warrantyUntil: warrantyEnd(report.delivered_at, report.warranty_days).toISOString(),
    },
    problem: report.problem,
    state: closedAt ? 'closed' : waitingSince ? 'open' : 'answered',
    outcome: report.outcome,
    openedAt: report.opened_at.toISOString(),
    closedAt: closedAt?.toISOString() ?? null,
    answerBy: answerBy?.toISOString() ?? null,
    isOverdue: answerBy !== null && answerBy <= clock.now(),
  };
}

async function presentMessage(deps: Deps, row: MessageRow, orderId: string): Promise<ReportMessage> {
  const content = await decryptPart(deps, 'text', row.id, { ...row, order_id: orderId });
  return {
    _id: row.id,
    side: row.user_id === null ? 'buyer' : 'shop',
    at: row.at.toISOString(),
    message: content?.toString() ?? null,
    picture: !row.has_picture ? 'none' : row.has_kept_picture ? 'kept' : 'removed',
  };
}

/** Returns the picture of a message. The caller must have checked access to the report. Throws NOT_FOUND. */
async function readPicture(deps: Deps, { id: reportId, messageId }: { id: string; messageId: string }) {
  const picture = await findPicture(deps.db, { reportId, messageId });
  const content = picture && (await decryptPart(deps, 'picture', messageId, picture));
  return { webp: orNotFound(content, 'There is no such picture').toString('base64') };
}

function decryptPart(
  deps: Deps,
  part: 'text' | 'picture',
  messageId: string,
  row: Pick<MessageRow, 'key_id' | 'nonce' | 'ciphertext'> & { order_id: string },
): Promise<Buffer | null> {
  const message = 'a message of a problem report was altered in the database';
  const alert = { subject: messageId, orderId: row.order_id, message, logged: { part } };
  return decryptUnlessAltered(deps, alert, () => deps.cipher.decryptReported({ part, messageId, ...fromColumns(row) }));
}
