import type { Deps } from '../../deps.ts';
import { cutPage } from '../../platform/database/list-queries.ts';
import type { AdminActor, ChangeCall, Route } from '../../platform/http/route.ts';
import { assertOwnOrder } from '../orders/orders.queries.ts';
import { answerReport, refundReported, replaceReported } from './answer-report.ts';
import { listReports } from './problem-reports.queries.ts';
import { presentListed, readAdminReport, readPicture, readReportsOfOrder } from './read-reports.ts';
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
    const filter = { ...query, closed: query.closed === 'true' };
    const { found, ...counted } = await listReports(deps.db, filter);
    const { rows, nextCursor } = cutPage(found, query);
    return { data: rows.map((row) => presentListed(deps, row)), nextCursor, ...counted };
  });

  route('GET /admin/problem-reports/:id', ({ params }) => pageOf(params.id));

  route('GET /admin/problem-reports/:id/pictures/:messageId', async ({ params }) => ({
    data: await readPicture(deps, params),
  }));

  route('POST /admin/problem-reports/:id/answer', (call) => changed(call, answerReport));
  route('POST /admin/problem-reports/:id/replace', (call) => changed(call, replaceReported));
  route('POST /admin/problem-reports/:id/refund', (call) => changed(call, refundReported));
}
