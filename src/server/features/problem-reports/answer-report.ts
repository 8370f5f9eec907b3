import type { BodyOf } from '../../../shared/api.ts';
import { AppError, orNotFound } from '../../../shared/errors.ts';
import { problemNames } from '../../../shared/problem-reports.ts';
import type { Deps } from '../../deps.ts';
import type { Transaction } from '../../platform/database/database.ts';
import type { OrderRow } from '../../platform/database/tables.ts';
import type { Actor } from '../../platform/http/client.ts';
import { enqueueOrderMail } from '../mails/send-mail.ts';
import { changeOrder, type OrderEntry, replaceLocked } from '../orders/admin-order-actions.ts';
import { tryFinishRefunds } from '../orders/finish-refunds.ts';
import { refundLocked } from '../orders/refund-order.ts';
import { findReport, type ItemReport, listMessages, updateReport } from './problem-reports.queries.ts';
import { assertSameMessage, getUnclosed, messageSentBefore, writeMessage } from './report-problem.ts';

interface Answer {
  reportId: string;
  actor: Actor & { userId: string };
  /** The newest message that the administrator has read. */
  lastMessage: string;
}

type AnswerMessage = BodyOf<'POST /admin/problem-reports/:id/answer'>;

/**
 * Answers a report by a message; the buyer may reply, unless `close` is set. A draft writes only one answer. Throws
 * NOT_FOUND, REPORT_REFUSED when the report is closed or the draft was sent before with other values, and EDIT_CONFLICT
 * when there is a newer message.
 */
export async function answerReport(deps: Deps, input: Answer & AnswerMessage): Promise<void> {
  const { actor, text, draft, close } = input;
  await answerWith(deps, { ...input, message: input }, async (trx, order, report) => {
    const now = deps.clock.now();
    await writeMessage(deps, trx, { id: draft, reportId: report.id, userId: actor.userId, text });
    const end = close && ({ closed_at: now, outcome: 'message' } as const);
    await updateReport(trx, report.id, { waiting_since: null, ...end });
    await enqueueOrderMail(deps, trx, 'report-answered', order);
    const summary = `Answered ${close ? 'and closed ' : ''}the problem report on ${itemOf(report)}`;
    return { action: 'order.report-answered', summary };
  });
}

/**
 * Replaces the reported item, by `content` where a person delivers, if it was under warranty when reported. Throws like
 * answerReport, and OUT_OF_STOCK, VALIDATION_FAILED, ITEM_FROZEN, ITEM_NOT_AVAILABLE.
 */
export async function replaceReported(deps: Deps, input: Answer & { content?: string | undefined }): Promise<void> {
  await answerWith(deps, input, (trx, order, report) =>
    replaceLocked(deps, trx, order, {
      itemId: report.item_id,
      reason: reasonOf(report),
      content: input.content,
      warrantyAt: report.opened_at,
    }),
  );
}

/** Refunds the reported item. Throws like answerReport, and REFUND_REFUSED. */
export async function refundReported(deps: Deps, input: Answer): Promise<void> {
  const orderId = await answerWith(deps, input, (trx, order, report) =>
    refundLocked(deps, trx, order, {
      reason: reasonOf(report),
      message: 'For the item that you reported',
      lines: [{ line: report.line_id, quantity: 1 }],
      itemId: report.item_id,
      userId: input.actor.userId,
    }),
  );
  await tryFinishRefunds(deps, orderId);
}

const itemOf = ({ unit, product_name: name }: ItemReport) => `item ${unit} of “${name}”`;
const reasonOf = ({ problem }: ItemReport) => `Problem report: ${problemNames[problem]}`;

/** Runs one answer in `changeOrder`, and returns the id of the order. No effect when `message` was written before. */
async function answerWith(
  deps: Deps,
  { reportId, actor, lastMessage, message }: Answer & { message?: AnswerMessage },
  answer: (trx: Transaction, order: OrderRow, report: ItemReport) => Promise<OrderEntry>,
): Promise<string> {
  const found = orNotFound(await findReport(deps.db, reportId), 'Problem report not found');
  await changeOrder(deps, { orderId: found.order_id, actor }, async (trx, order) => {
    const messages = await listMessages(trx, [reportId]);
    const sent = messages.find(({ id }) => id === message?.draft);
    if (message && sent) {
      const { outcome } = (await findReport(trx, reportId)) ?? found;
      const hasClosed = outcome === 'message' && messages.at(-1) === sent;
      if (hasClosed !== message.close) throw messageSentBefore();
      await assertSameMessage(deps, trx, sent, message);
      return undefined;
    }
    const report = await getUnclosed(trx, reportId);
    if (messages.at(-1)?.id !== lastMessage) {
      throw new AppError('EDIT_CONFLICT', 'There is a newer message. Please read it first.');
    }
    return answer(trx, order, report);
  });
  return found.order_id;
}
