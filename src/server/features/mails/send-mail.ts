import type { Deps } from '../../deps.ts';
import { hashToken, randomToken } from '../../platform/crypto/random-token.ts';
import type { Transaction } from '../../platform/database/open-database.ts';
import type { OrderRow } from '../../platform/database/tables.ts';
import { MAIL_PATIENCE_MS, MailRefused } from '../../platform/mail/mail-transport.ts';
import { findUser } from '../accounts/accounts.queries.ts';
import { createClaimLink } from '../accounts/claim-links.queries.ts';
import { getOrder, listOrderLines } from '../orders/orders.queries.ts';
import type { MailKind } from './enqueue-mail.ts';
import { type MailContent, renderMail } from './mail-layout.ts';
import { lockMail, type MailRow, markMailSent } from './mails.queries.ts';
import { type DoorToItems, orderDeliveredMail } from './order-delivered-mail.ts';
import { orderRefundedMail } from './order-refunded-mail.ts';

type MailDeps = Pick<Deps, 'db' | 'mail' | 'clock' | 'config' | 'log'>;

const CLAIM_LINK_DAYS = 7;

/**
 * Renders and sends one mail of the outbox, once, however often it is called. Throws when it should be tried again.
 * The row stays locked meanwhile, so that a process that was suspended in the middle does not send beside its successor.
 */
export async function sendMail(deps: MailDeps, { mailId }: { mailId: string }): Promise<void> {
  try {
    await deps.db.transaction().execute((trx) => sendLocked(deps, trx, mailId));
  } catch (error) {
    if (!(error instanceof MailRefused)) throw error;
    deps.log.error({ mailId, reason: error.message }, 'A mail was refused for good and stays unsent');
  }
}

async function sendLocked(deps: MailDeps, trx: Transaction, mailId: string): Promise<void> {
  const mail = await lockMail(trx, { id: mailId, patienceMs: MAIL_PATIENCE_MS });
  if (!mail) throw new Error(`Mail ${mailId} is being sent by another process`);
  if (mail.sent_at !== null) return;
  const content = await contentOf(deps, trx, mail);
  await deps.mail.send({ id: mail.id, to: mail.recipient, ...renderMail(content, deps.config) });
  await markMailSent(trx, { id: mail.id, now: deps.clock.now() });
}

async function contentOf(deps: MailDeps, trx: Transaction, mail: MailRow): Promise<MailContent> {
  if (mail.order_id === null) throw new Error(`Mail ${mail.id} has no order`);
  const order = await getOrder(trx, mail.order_id);
  const lines = await listOrderLines(trx, [order.id]);
  switch (mail.kind as MailKind) {
    case 'order-delivered':
      return orderDeliveredMail(order, lines, await doorToItems(deps, trx, order));
    case 'order-refunded':
      return orderRefundedMail(order, lines, deps.config.publicUrl);
    default:
      throw new Error(`Mail ${mail.id} is of the unknown kind ${mail.kind}`);
  }
}

/** A link with a secret only where signing in is not possible: nobody owns the order, or its account has no password. */
async function doorToItems(deps: MailDeps, trx: Transaction, order: OrderRow): Promise<DoorToItems> {
  const { publicUrl } = deps.config;
  const owner = order.user_id === null ? undefined : await findUser(trx, order.user_id);
  if (owner && owner.password_hash !== null) {
    return { kind: 'order-page', url: `${publicUrl}/order-items/${order.id}` };
  }
  const token = randomToken();
  const now = deps.clock.now();
  const expiresAt = new Date(now.getTime() + CLAIM_LINK_DAYS * 24 * 60 * 60 * 1_000);
  await createClaimLink(trx, { tokenHash: hashToken(token), orderId: order.id, now, expiresAt });
  return { kind: 'claim-link', url: `${publicUrl}/claim?token=${token}` };
}
