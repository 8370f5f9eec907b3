import { createHmac, randomInt, timingSafeEqual } from 'node:crypto';
import { DAY_MS } from '../../../shared/durations.ts';
import { AppError, orNotFound } from '../../../shared/errors.ts';
import { formatShopMoment, orderNumber } from '../../../shared/format.ts';
import { LOOKUP_CODE_LENGTH, type OpenedOrder } from '../../../shared/order-page.ts';
import type { Config } from '../../config.ts';
import type { Deps } from '../../deps.ts';
import { hashToken, randomToken } from '../../platform/crypto/tokens.ts';
import type { Client } from '../../platform/http/client.ts';
import {
  countVerificationTry,
  insertVerification,
  redeemVerification,
  setSecret,
} from '../accounts/accounts.queries.ts';
import type { DownloadGrant } from '../files/send-file.ts';
import { enqueueMail, type MailContents } from '../mails/send-mail.ts';
import { presentOrderPage } from '../order-page/read-order-page.ts';
import { areItemsOpen } from '../orders/order-status.ts';
import { getOrder, readFullOrder } from '../orders/orders.queries.ts';
import { grantToSession, revealOrder } from '../orders/reveal-items.ts';
import { listReceipts, presentReceipt } from '../receipts/receipts.ts';
import { findOpenedOrder, findOrderForCode } from './order-lookup.queries.ts';

/**
 * Mails a one-time code for a paid order, valid for 10 minutes: at most 12 an hour for an order, 3 for one network.
 * Neither the response nor its duration tells whether the order exists: without it, the mail job skips the mail.
 */
export async function lookUpOrder(
  deps: Pick<Deps, 'db' | 'jobs' | 'clock'>,
  { email, orderNumber: number, network }: { email: string; orderNumber: string; network: string },
): Promise<{ lookupId: string }> {
  const now = deps.clock.now();
  return deps.db.transaction().execute(async (trx) => {
    const wanted = { email, orderNumber: number.replace('#', ''), network, now };
    const orderId = (await findOrderForCode(trx, wanted)) ?? null;
    const lookup = { purpose: 'order-lookup', order_id: orderId, email: orderId && email, origin: network } as const;
    const verificationId = await insertVerification(trx, lookup, now);
    await enqueueMail(deps, trx, { kind: 'order-lookup', recipient: email, verificationId, userId: null });
    return { lookupId: verificationId };
  });
}

/** The mail job makes the code, so that the code is only in the mail; the database has its hash. */
export const orderLookupMails = {
  'order-lookup': async ({ clock, config }, trx, { verification_id: id }) => {
    if (id === null) throw new Error('The mail has no order lookup');
    const code = String(randomInt(10 ** LOOKUP_CODE_LENGTH)).padStart(LOOKUP_CODE_LENGTH, '0');
    const secretHash = hashCode(config, id, code);
    const lookup = await setSecret(trx, { id, secretHash, now: clock.now() });
    if (!lookup?.order_id) return undefined;
    const order = await getOrder(trx, lookup.order_id);
    const number = orderNumber(order.id);
    return {
      subject: `Your code for order ${number}`,
      heading: 'Your one-time code',
      paragraphs: [
        `Somebody, we hope you, asked to see your order ${number} of ${formatShopMoment(order.created_at)}. ` +
          'Enter this code on the page where you asked for it:',
      ],
      code: {
        value: code,
        note:
          'It works once, within 10 minutes. Do not share it: anyone with this code can see your items. ' +
          'If you have not asked for it, there is nothing to do.',
      },
    };
  },
} satisfies Partial<MailContents>;

/** How long the browser that opened an order may download its files. */
export const OPENED_MS = DAY_MS;

/**
 * Opens an order by a mailed code: once, within five tries. Throws INVALID_CODE whatever is wrong. The browser gets
 * `secret` in a cookie, for grantToLookup.
 */
export async function openLookup(
  deps: Deps,
  { lookupId, code, client }: { lookupId: string; code: string; client: Client },
): Promise<{ opened: OpenedOrder; secret: string }> {
  const now = deps.clock.now();
  const secret = randomToken();
  const lookup = await countVerificationTry(deps.db, { id: lookupId, purpose: 'order-lookup', now });
  const right = lookup?.secret_hash != null && isRightCode(deps.config, lookupId, code, lookup.secret_hash);
  if (
    !right ||
    lookup.order_id === null ||
    !(await redeemVerification(deps.db, { id: lookupId, secretHash: hashToken(secret), now }))
  ) {
    throw wrongCode();
  }
  const order = await readFullOrder(deps.db, await getOrder(deps.db, lookup.order_id));
  // The e-mail of the order was corrected since.
  if (lookup.email !== order.contact_email) throw wrongCode();
  const hasItems =
    order.lines.some(({ kind }) => kind === 'digital') && order.state === 'fulfilled' && areItemsOpen(order, now);
  const opened = {
    order: await presentOrderPage(deps.db, order),
    receipts: (await listReceipts(deps.db, order.id)).map(presentReceipt),
    delivered: hasItems ? await revealOrder(deps, { orderId: order.id, userId: null, client }) : null,
  };
  return { opened, secret };
}

/** Grants a download to a browser that opened the order within a day. Throws NOT_FOUND, and like grantToSession. */
export async function grantToLookup(
  deps: Deps,
  { lookupId, secret, ...input }: { lookupId: string; secret: string; itemId: string; client: Client },
): Promise<DownloadGrant> {
  const since = new Date(deps.clock.now().getTime() - OPENED_MS);
  const opened = await findOpenedOrder(deps.db, { lookupId, secretHash: hashToken(secret), since });
  const orderId = orNotFound(opened, 'Please open the order with a new code');
  return grantToSession(deps, { ...input, orderId, userId: null, sessionId: lookupId });
}

const wrongCode = () => new AppError('INVALID_CODE', 'This code is wrong or no longer valid');

type Keys = Pick<Config, 'jwtKeys'>;

/** HMAC-SHA-256 of a code, as stored. There are only a million codes, so the key must not be in the database. */
export const hashCode = ({ jwtKeys }: Keys, lookupId: string, code: string): Buffer =>
  hashWith(jwtKeys[0].key, lookupId, code);

/** Compares in constant time, with every key that is still valid. */
const isRightCode = ({ jwtKeys }: Keys, lookupId: string, code: string, hash: Buffer): boolean =>
  jwtKeys.filter(({ key }) => timingSafeEqual(hashWith(key, lookupId, code), hash)).length > 0;

const hashWith = (key: Buffer, lookupId: string, code: string) =>
  createHmac('sha256', key).update(`order-lookup|${lookupId}|${code}`).digest();
