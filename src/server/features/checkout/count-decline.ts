import { AppError } from '../../../shared/errors.ts';
import type { Deps } from '../../deps.ts';
import type { OrderRow } from '../../platform/database/tables.ts';
import { releaseOrder } from './release-order.ts';

/**
 * A card was declined. An address at which that goes on is trying out stolen cards, and a payment that is open can be
 * tried with one card after another at the provider without a call to us: so this one is closed, and openPayment
 * refuses the next.
 */
export async function countDecline(deps: Deps, order: OrderRow): Promise<void> {
  if (order.ip === '') return;
  const keys = { address: order.ip };
  try {
    await deps.limits.count('decline', keys);
    await deps.limits.assertLeft('decline', keys);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'RATE_LIMITED') throw error;
    await releaseOrder(deps, order.id, 'payment-failed');
  }
}
