import { randomUUID } from 'node:crypto';
import { insertRows } from '../platform/database/insert-rows.ts';
import type { Transaction } from '../platform/database/open-database.ts';

/** An earlier payment of the demo. Money is integer cents of USD. */
export interface PastPayment {
  intentId: string;
  orderId: string;
  amountCents: number;
  receiptEmail: string;
  createdAt: Date;
  /** Refunded in full; null when not refunded. */
  refundedAt: Date | null;
  /** Null when captured. */
  cancelledAt: Date | null;
}

/** Inserts earlier payments into the test-mode provider, without events, because their orders exist already. */
export async function insertPastPayments(trx: Transaction, payments: PastPayment[]): Promise<void> {
  const intents = payments.map((payment) => {
    const captured = payment.cancelledAt === null;
    return {
      id: payment.intentId,
      client_secret: `${payment.intentId}_secret_${randomUUID().replaceAll('-', '')}`,
      status: captured ? ('succeeded' as const) : ('canceled' as const),
      version: 1,
      amount_cents: payment.amountCents,
      captured_cents: captured ? payment.amountCents : 0,
      refunded_cents: payment.refundedAt ? payment.amountCents : 0,
      currency: 'usd',
      metadata: { order_id: payment.orderId },
      receipt_email: payment.receiptEmail,
      ...(captured && {
        payment_method_id: payment.intentId.replace(/^pi/, 'pm'),
        card_brand: 'visa',
        card_last4: '4242',
        charge_id: payment.intentId.replace(/^pi/, 'ch'),
      }),
      canceled_at: payment.cancelledAt,
      cancellation_reason: captured ? null : 'abandoned',
      created_at: payment.createdAt,
    };
  });
  const refunds = payments.flatMap(({ intentId, amountCents, refundedAt }) =>
    refundedAt
      ? [{ id: intentId.replace(/^pi/, 're'), intent_id: intentId, amount_cents: amountCents, created_at: refundedAt }]
      : [],
  );
  await insertRows(trx, 'test_mode_intents', intents);
  await insertRows(trx, 'test_mode_refunds', refunds);
}
