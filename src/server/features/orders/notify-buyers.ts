import { NIL } from 'uuid';
import { formatBytes } from '../../../shared/format.ts';
import { orderNumber } from '../../../shared/order-words.ts';
import type { Deps } from '../../deps.ts';
import type { JobData } from '../../platform/jobs/jobs.ts';
import { findCurrentFile } from '../files/files.queries.ts';
import { enqueueMail, type MailContents } from '../mails/send-mail.ts';
import { linkToItems } from './link-to-items.ts';
import {
  findFileVersion,
  findUpdatedElsewhere,
  findUpdatedLine,
  isNotified,
  listOrdersToNotify,
  lockFileVersion,
} from './notify-buyers.queries.ts';
import { getOrder, readFullOrder } from './orders.queries.ts';

/** Orders per transaction. */
const BATCH = 100;

/**
 * Writes the mails about a new version of a file to earlier buyers: one per buyer, none for returned items, none to a
 * blocked account. Handles one batch and enqueues a job for the next. A repeated job writes no second mail to a buyer.
 */
export function notifyBuyers(deps: Deps, { fileId, after = NIL }: JobData['tell-buyers'], batch = BATCH) {
  const now = deps.clock.now();
  return deps.db.transaction().execute(async (trx) => {
    const file = await lockFileVersion(trx, fileId);
    if (!file?.tells_buyers) return;
    const orders = await listOrdersToNotify(trx, file, { after, limit: batch, now });
    for (const { id: orderId, recipient, user_id: userId } of orders) {
      if (recipient === null || (await isNotified(trx, { fileId, recipient, userId }))) continue;
      await enqueueMail(deps, trx, { kind: 'file-updated', recipient, orderId, userId, fileId });
    }
    const last = orders.at(-1);
    if (last && orders.length === batch) await deps.jobs.enqueue(trx, 'tell-buyers', { fileId, after: last.id });
  });
}

export const fileMails = {
  // If the item was returned meanwhile, the mail is about another order of its buyer, or is skipped.
  'file-updated': async (deps, trx, mail) => {
    const version = mail.file_id === null ? undefined : await findFileVersion(trx, mail.file_id);
    const file = version && (await findCurrentFile(trx, version.product_id));
    if (!file || mail.order_id === null) throw new Error(`Mail ${mail.id} has no order or no file`);
    const about = { orderId: mail.order_id, file: version, now: deps.clock.now() };
    const line = (await findUpdatedLine(trx, about)) ?? (await findUpdatedElsewhere(trx, about));
    if (!line) return undefined;
    const order = await readFullOrder(trx, await getOrder(trx, line.orderId));
    const { action, whyWaiting } = await linkToItems(deps, trx, order, mail);
    return {
      subject: `There is a new version of “${line.name}”`,
      heading: 'There is a new version of your file',
      paragraphs: [
        `The shop has a new version of “${line.name}”, which you bought with your order ${orderNumber(order.id)}. It is yours, too.`,
        `The file is ${file.name}, ${formatBytes(file.bytes)}. You find it on your order page, in the place of the earlier version.`,
        ...whyWaiting,
      ],
      action,
    };
  },
} satisfies Partial<MailContents>;
