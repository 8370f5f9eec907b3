import { expect, it } from 'vitest';
import { openTestDatabase } from '../../../../test/database.ts';
import { insertOrder } from '../../../../test/factories.ts';
import { hashToken, randomToken } from '../../platform/crypto/tokens.ts';
import { insertVerification } from './accounts.queries.ts';
import { redeemClaimLink } from './claim-account.ts';

const { db } = await openTestDatabase({ maxConnections: 20 });
const now = new Date('2026-03-01T00:00:00Z');
const expiresAt = new Date('2026-03-08T00:00:00Z');
const unpaid = { state: 'pending', payment_intent_id: null, paid_at: null, fulfilled_at: null } as const;
const orderId = await insertOrder(db, now, unpaid);

async function makeLink(): Promise<string> {
  const token = randomToken();
  const email = 'buyer@example.com';
  const link = { purpose: 'order-claim', order_id: orderId, email, secret_hash: hashToken(token) } as const;
  await db.transaction().execute((trx) => insertVerification(trx, link, now));
  return token;
}

const redeem = async (token: string, at = now) => {
  const link = await db.transaction().execute((trx) => redeemClaimLink(trx, token, at));
  return link && { order_id: link.orderId };
};

it('a claim link works once', async () => {
  const token = await makeLink();
  expect(await redeem(token)).toEqual({ order_id: orderId });
  expect(await redeem(token)).toBeUndefined();
});

it('a claim link that is used many times concurrently works once', async () => {
  const token = await makeLink();
  const uses = await Promise.all(Array.from({ length: 20 }, () => redeem(token)));
  expect(uses.filter((link) => link !== undefined)).toEqual([{ order_id: orderId }]);
});

it('a claim link stays usable when its use is rolled back', async () => {
  const token = await makeLink();
  const undone = db.transaction().execute(async (trx) => {
    await redeemClaimLink(trx, token, now);
    throw new Error('undone');
  });
  await expect(undone).rejects.toThrow('undone');
  expect(await redeem(token)).toEqual({ order_id: orderId });
});

it('a claim link works until its expiry, and not from then on', async () => {
  const [last, late] = [await makeLink(), await makeLink()];
  expect(await redeem(last, new Date(expiresAt.getTime() - 1))).toEqual({ order_id: orderId });
  expect(await redeem(late, expiresAt)).toBeUndefined();
});

it('an unknown claim link opens no order', async () => {
  expect(await redeem(randomToken())).toBeUndefined();
});
