import { insertRows } from '../../database/insert-rows.ts';
import type { Transaction } from '../../database/open-database.ts';
import { randomHex } from './ids.ts';

/** A payment that was over before the provider heard of it. Money is integer cents of USD. */
export interface PastPayment {
  intentId: string;
  orderId: string;
  amountCents: number;
  receiptEmail: string;
  createdAt: Date;
  /** When all of it was given back; null when the shop kept it. */
  refundedAt: Date | null;
  /** When it was called off; null when the money was captured. */
  cancelledAt: Date | null;
}

/** Enters payments of the past, as the demo shop has them, without events: the shop knows of them already. */
export async function insertPastPayments(trx: Transaction, payments: PastPayment[]): Promise<void> {
  const intents = payments.map((payment) => {
    const captured = payment.cancelledAt === null;
    return {
      id: payment.intentId,
      client_secret: `${payment.intentId}_secret_${randomHex()}`,
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
      ? [
          {
            id: intentId.replace(/^pi/, 're'),
            intent_id: intentId,
            amount_cents: amountCents,
            created_at: refundedAt,
          },
        ]
      : [],
  );
  await insertRows(trx, 'test_mode_intents', intents);
  await insertRows(trx, 'test_mode_refunds', refunds);
}
