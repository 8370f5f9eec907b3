import type { Deps } from '../../deps.ts';
import type { Transaction } from '../../platform/database/open-database.ts';
import type { OrderLineRow, OrderRow } from '../../platform/database/tables.ts';
import { findUser } from '../accounts/accounts.queries.ts';
import { createLink } from '../accounts/mailed-links.ts';
import type { MailContents } from '../mails/mail-contents.ts';
import type { MailRow } from '../mails/mails.queries.ts';
import { listRefundsOfOrders } from '../orders/order-refunds.queries.ts';
import { getOrder, listOrderLines } from '../orders/orders.queries.ts';
import { presentRefund } from '../orders/present-refunds.ts';
import { type DoorToItems, itemReplacedMail, orderDeliveredMail } from './order-delivered-mail.ts';
import { orderRefundedInPartMail, orderRefundedMail, type RefundedOrder } from './order-refunded-mail.ts';
import { orderShippedMail } from './order-shipped-mail.ts';

/** What the mails about a purchase say. */
export const orderMails: Pick<
  MailContents,
  'order-delivered' | 'order-refunded' | 'order-refunded-in-part' | 'order-shipped' | 'item-replaced'
> = {
  'order-delivered': async (deps, trx, mail) => {
    const { order, lines } = await orderOf(trx, mail);
    return orderDeliveredMail(order, lines, await doorToItems(deps, trx, order));
  },
  'order-refunded': async (deps, trx, mail) => {
    const { order, lines } = await orderOf(trx, mail);
    return orderRefundedMail(await withRefundsOf(trx, order, lines), deps.config.publicUrl);
  },
  'order-refunded-in-part': async (deps, trx, mail) => {
    const { order, lines } = await orderOf(trx, mail);
    return orderRefundedInPartMail(await withRefundsOf(trx, order, lines), deps.config.publicUrl);
  },
  'order-shipped': async (deps, trx, mail) => {
    const { order, lines } = await orderOf(trx, mail);
    return orderShippedMail(order, lines, deps.config.publicUrl);
  },
  'item-replaced': async (deps, trx, mail) => {
    const { order } = await orderOf(trx, mail);
    return itemReplacedMail(order, await doorToItems(deps, trx, order));
  },
};

async function orderOf(trx: Transaction, mail: MailRow): Promise<{ order: OrderRow; lines: OrderLineRow[] }> {
  if (mail.order_id === null) throw new Error(`Mail ${mail.id} has no order`);
  const order = await getOrder(trx, mail.order_id);
  return { order, lines: await listOrderLines(trx, [order.id]) };
}

async function withRefundsOf(
  trx: Transaction,
  order: OrderRow,
  lines: OrderLineRow[],
): Promise<RefundedOrder> {
  const refunds = await listRefundsOfOrders(trx, [order]);
  return { order, lines, refunds: refunds.map((refund) => presentRefund(refund, lines)) };
}

/** A link with a secret only where signing in does not help: the order waits for its e-mail, or its account has no password. */
async function doorToItems(
  deps: Pick<Deps, 'clock' | 'config'>,
  trx: Transaction,
  order: OrderRow,
): Promise<DoorToItems> {
  const owner = order.user_id === null ? undefined : await findUser(trx, order.user_id);
  if (owner && owner.password_hash !== null) {
    return { kind: 'order-page', url: `${deps.config.publicUrl}/order-items/${order.id}` };
  }
  const url = await createLink(deps, trx, { purpose: 'order-claim', order_id: order.id });
  return { kind: order.user_id === null ? 'verify-link' : 'claim-link', url };
}
