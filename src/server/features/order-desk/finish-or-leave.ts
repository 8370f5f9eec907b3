import type { Deps } from '../../deps.ts';
import { finishRefunds } from '../checkout/refund-order.ts';

/** Asks the provider at once. Should it be away, the refund is on record and the sweeper carries on with it. */
export async function finishOrLeave(deps: Deps, orderId: string): Promise<void> {
  deps.crashPoint('refund-begun');
  try {
    await finishRefunds(deps, orderId);
  } catch (error) {
    deps.log.error({ err: error, orderId }, 'a refund is left to the sweeper');
  }
}
