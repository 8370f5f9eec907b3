import type { Stripe } from 'stripe';
import type { Payments, Refund } from './payments.ts';
import { callRepeatably, knownStatus, toShopError, wasReplayed } from './stripe-calls.ts';

const PAGE = 100;

/** Of the refunds of an order each names itself in its metadata; the only one need not. */
const REFUND_ID = 'refund_id';

export const refundIdOf = ({ metadata }: Stripe.Refund): string | undefined => metadata?.[REFUND_ID];

/** Payments.refundIntent. */
export async function giveRefund(
  stripe: Stripe,
  { intentId, orderId, oneOfSeveral }: Parameters<Payments['refundIntent']>[0],
): Promise<Refund> {
  const findGiven = async () => {
    const standing = await listStandingRefunds(stripe, intentId);
    const given = oneOfSeveral && standing.find((refund) => refundIdOf(refund) === oneOfSeveral.refundId);
    // A part that somebody gave by hand is not all that was left.
    const rest = oneOfSeveral?.amountCents === undefined;
    return given ?? (rest && (await isWhole(stripe, intentId, standing)) ? standing[0] : undefined);
  };
  // A part could be given twice, where the whole cannot: so its key is not trusted to be remembered.
  const given = oneOfSeveral && (await findGiven());
  if (given) return toRefund(given);

  const key = oneOfSeveral ? `refund/${orderId}/${oneOfSeveral.refundId}` : `refund/${orderId}`;
  return callRepeatably({
    key,
    keyOnMismatch: `${key}/${intentId}`,
    call: async (idempotencyKey) => {
      const refund = await stripe.refunds.create(
        {
          payment_intent: intentId,
          ...(oneOfSeveral && { metadata: { [REFUND_ID]: oneOfSeveral.refundId } }),
          ...(oneOfSeveral?.amountCents !== undefined && { amount: oneOfSeveral.amountCents }),
        },
        { idempotencyKey },
      );
      const replayed = wasReplayed(refund.lastResponse.headers);
      return toRefund(replayed ? await stripe.refunds.retrieve(refund.id) : refund);
    },
    standing: async () => {
      const found = await findGiven();
      return found && toRefund(found);
    },
  });
}

/** All of it went back already, some of it by hand at the provider. */
async function isWhole(stripe: Stripe, intentId: string, refunds: Stripe.Refund[]): Promise<boolean> {
  try {
    const { amount_received: received } = await stripe.paymentIntents.retrieve(intentId);
    return refunds.length > 0 && sumOfRefunds(refunds) >= received;
  } catch (error) {
    throw toShopError(error);
  }
}

export const sumOfRefunds = (refunds: Stripe.Refund[]): number => refunds.reduce((sum, { amount }) => sum + amount, 0);

/** Failed and cancelled ones gave nothing back. */
export const isStanding = ({ status }: Stripe.Refund): boolean => status !== 'failed' && status !== 'canceled';

/** Newest first. */
export async function listStandingRefunds(stripe: Stripe, intentId: string): Promise<Stripe.Refund[]> {
  try {
    const standing: Stripe.Refund[] = [];
    // One page as a rule; the SDK asks for the next one where there are more.
    for await (const refund of stripe.refunds.list({ payment_intent: intentId, limit: PAGE })) {
      if (isStanding(refund)) standing.push(refund);
    }
    return standing;
  } catch (error) {
    throw toShopError(error);
  }
}

const toRefund = (refund: Stripe.Refund): Refund => ({
  id: refund.id,
  status: knownStatus(statuses, refund.status ?? 'pending'),
});

const statuses: readonly Refund['status'][] = ['pending', 'succeeded', 'failed', 'canceled', 'requires_action'];
