import type { Deps } from '../../deps.ts';
import { insertVerification } from '../accounts/verifications.queries.ts';
import { enqueueMail } from '../mails/enqueue-mail.ts';
import { findOrderForCode } from './order-lookup.queries.ts';

/**
 * Asks for a one-time code to a paid order, mailed to the address it was bought with; valid for 10 minutes, 3 an hour for
 * each order from one network, 12 from all. Whether there is such an order shows neither in the answer nor in the work:
 * without one, the mail turns out to have nothing to say.
 */
export async function lookUpOrder(
  deps: Pick<Deps, 'db' | 'jobs' | 'clock'>,
  { email, orderNumber, network }: { email: string; orderNumber: string; network: string },
): Promise<{ lookupId: string }> {
  const now = deps.clock.now();
  return deps.db.transaction().execute(async (trx) => {
    const wanted = { email, orderNumber: orderNumber.replace('#', ''), network, now };
    const orderId = (await findOrderForCode(trx, wanted)) ?? null;
    const lookup = { purpose: 'order-lookup', order_id: orderId, origin: network } as const;
    const verificationId = await insertVerification(trx, lookup, now);
    await enqueueMail(deps, trx, { kind: 'order-lookup', recipient: email, verificationId, userId: null });
    return { lookupId: verificationId };
  });
}
