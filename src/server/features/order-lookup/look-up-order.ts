import { v7 as uuidv7 } from 'uuid';
import type { Deps } from '../../deps.ts';
import { enqueueMail } from '../mails/enqueue-mail.ts';
import { insertLookup } from './order-lookup.queries.ts';

const CODE_VALID_MS = 10 * 60 * 1000;
const MAX_CODES_PER_HOUR = 12;
// Less than all, so that a stranger who asks cannot use up what the buyer may ask for.
const MAX_CODES_PER_HOUR_AND_NETWORK = 3;

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
  const lookupId = uuidv7();
  await deps.db.transaction().execute(async (trx) => {
    await insertLookup(trx, {
      id: lookupId,
      email,
      orderNumber: orderNumber.replace('#', ''),
      network,
      maxPerHour: MAX_CODES_PER_HOUR,
      maxPerHourAndNetwork: MAX_CODES_PER_HOUR_AND_NETWORK,
      now,
      expiresAt: new Date(now.getTime() + CODE_VALID_MS),
    });
    await enqueueMail(deps, trx, { kind: 'order-lookup', recipient: email, lookupId, userId: null });
  });
  return { lookupId };
}
