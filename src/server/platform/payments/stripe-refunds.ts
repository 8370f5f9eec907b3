import type { Stripe } from 'stripe';
import { type Payments, type ProviderRefund, refundStatuses } from './payments.ts';
import { callRepeatably, knownStatus, read, readAll, wasReplayed } from './stripe-calls.ts';

const PAGE = 100;

/** In the metadata of one of several refunds of an order. */
const REFUND_ID = 'refund_id';

type RefundMethods = Pick<Payments, 'refundIntent' | 'refundedCents' | 'listRefunds' | 'listAllRefunds'>;

export function createStripeRefunds(stripe: Stripe): RefundMethods {
  /** The refunds of an intent that were neither rejected nor cancelled, newest first. */
  async function listValid(intentId: string): Promise<Stripe.Refund[]> {
    const valid: Stripe.Refund[] = [];
    for await (const refund of readAll(() => stripe.refunds.list({ payment_intent: intentId, limit: PAGE }))) {
      if (isValid(refund)) valid.push(refund);
    }
    return valid;
  }

  return {
    async refundIntent({ intentId, orderId, oneOfSeveral }) {
      const findDone = async (): Promise<ProviderRefund | undefined> => {
        const refunds = await listValid(intentId);
        const ours = oneOfSeveral && refunds.find((refund) => refundIdOf(refund) === oneOfSeveral.refundId);
        if (ours) return toRefund(ours);
        // A part that was refunded by hand is not all that was left.
        const [newest] = oneOfSeveral?.amountCents === undefined ? refunds : [];
        if (!newest) return undefined;
        const { amount_received: received } = await read(() => stripe.paymentIntents.retrieve(intentId));
        return sumOf(refunds) >= received ? toRefund(newest) : undefined;
      };
      // The whole cannot be refunded twice, but a part can: so its key is not trusted to be remembered.
      const done = oneOfSeveral && (await findDone());
      if (done) return done;

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
        findDone,
      });
    },

    refundedCents: async (intentId) => sumOf(await listValid(intentId)),

    listRefunds: async (intentId) =>
      (await listValid(intentId)).map((refund) => ({ refundId: refundIdOf(refund), cents: refund.amount })),

    async *listAllRefunds({ since }) {
      const created = { gte: Math.floor(since.getTime() / 1000) };
      for await (const refund of readAll(() => stripe.refunds.list({ created, limit: PAGE }))) {
        const { payment_intent: intent, amount: cents } = refund;
        if (intent && isValid(refund)) yield { intentId: typeof intent === 'string' ? intent : intent.id, cents };
      }
    },
  };
}

const refundIdOf = ({ metadata }: Stripe.Refund): string | undefined => metadata?.[REFUND_ID];

const isValid = ({ status }: Stripe.Refund): boolean => status !== 'failed' && status !== 'canceled';

const sumOf = (refunds: Stripe.Refund[]): number => refunds.reduce((sum, { amount }) => sum + amount, 0);

const toRefund = ({ id, status }: Stripe.Refund): ProviderRefund => ({
  id,
  status: knownStatus(refundStatuses, status ?? 'pending'),
});
