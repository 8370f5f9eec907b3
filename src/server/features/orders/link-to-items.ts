import { OPENING_ENDS_RETURN, orderNumber } from '../../../shared/format.ts';
import type { Deps } from '../../deps.ts';
import type { Transaction } from '../../platform/database/database.ts';
import type { OrderRow } from '../../platform/database/tables.ts';
import { findUser } from '../accounts/accounts.queries.ts';
import { createLink } from '../accounts/mailed-links.ts';
import type { MailRow } from '../mails/mails.queries.ts';
import type { MailContent } from '../mails/send-mail.ts';
import type { FullOrder } from './orders.queries.ts';

type LinkKind = 'order-page' | 'claim-link' | 'verify-link';

/**
 * A link in a mail that leads to the items: to the order's page, which requires a login (`order-page`); to set the
 * password of a new account (`claim-link`); or to verify the e-mail that the order waits for (`verify-link`).
 */
export interface OrderLink {
  kind: LinkKind;
  action: NonNullable<MailContent['action']>;
  /** The paragraph of a mail whose order waits for its e-mail; empty for any other order. */
  whyWaiting: string[];
}

/**
 * Makes the link to an order's items. The link has a secret only if a login is not possible: the order waits for its
 * e-mail, or its account has no password. A verified account never gets such a link, even if an undone change of e-mail
 * has removed its password: its owner resets the password by mail.
 */
export async function linkToItems(
  deps: Pick<Deps, 'clock' | 'config'>,
  trx: Transaction,
  order: FullOrder,
  mail: MailRow,
): Promise<OrderLink> {
  const owner = order.user_id === null ? undefined : await findUser(trx, order.user_id);
  if (owner && (owner.password_hash !== null || owner.email_verified_at)) {
    const hasItems = order.lines.some((line) => line.kind === 'digital');
    const page = hasItems ? 'order-items' : 'orders';
    return linkOf('order-page', `${deps.config.publicUrl}/${page}/${order.id}`);
  }
  const link = { purpose: 'order-claim', mail_id: mail.id, order_id: order.id, email: mail.recipient } as const;
  const url = await createLink(deps, trx, link);
  return linkOf(order.user_id === null ? 'verify-link' : 'claim-link', url);
}

const linkOf = (kind: LinkKind, url: string): OrderLink => ({
  kind,
  action: { url, ...linkTexts[kind] },
  whyWaiting: kind === 'verify-link' ? [WAITS] : [],
});

/** Returns the action of a mail not about items. The buyer of an order without an owner opens it by a mailed code. */
export function toOrder(
  { publicUrl }: Deps['config'],
  { id, user_id }: OrderRow,
  note: string,
): NonNullable<MailContent['action']> {
  if (user_id !== null) return { label: 'View your order', url: `${publicUrl}/orders/${id}`, note };
  const byCode = `${note} Enter this email address and the number ${orderNumber(id)} there: we mail you a code.`;
  return { label: 'Find your order', url: `${publicUrl}/find-order`, note: byCode };
}

export const NOT_IN_MAIL = `For your safety the items themselves are not in this mail. You find them on your order page. ${OPENING_ENDS_RETURN}`;

const WAITS =
  'This email address already has an account here, but nobody has verified the address. The order is not in the ' +
  'account, not even when you sign in, until you verify the address.';

const linkTexts: Record<LinkKind, { label: string; note: string }> = {
  'order-page': { label: 'View your items', note: 'You are asked to sign in, so that nobody else can see them.' },
  'claim-link': {
    label: 'Choose a password and view your items',
    note:
      'The link opens the account of this email address. It works once, within 7 days. ' +
      'If you chose a password while paying, you can simply sign in instead. ' +
      'Do not pass this mail on: anyone who has the link can open your items.',
  },
  'verify-link': {
    label: 'Verify and open your order',
    note:
      'The link verifies this address and works once, within 7 days. You choose a new password, other devices are signed ' +
      'out, and the order is in your account. If you know the password of the account, you can keep it: sign in, choose ' +
      '"Send verification mail" under My Orders, and open the link of that mail instead. ' +
      'Do not pass this mail on: anyone who has the link can open your items.',
  },
};
