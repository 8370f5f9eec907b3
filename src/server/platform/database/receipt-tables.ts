import type { ColumnType } from 'kysely';
import type { PaidCard } from '../../../shared/orders.ts';
import type { ShippingAddress } from '../../../shared/shipping.ts';
import type { Defaulted } from './account-tables.ts';

/** What a receipt or a credit note says for ever. Money is integer cents of USD. */
export interface ReceiptContent {
  kind: 'receipt' | 'credit-note';
  seller: { name: string; address: string; taxId: string };
  buyer: { name: string; email: string; address: ShippingAddress | null };
  orderedAt: string;
  paidAt: string;
  lines: { name: string; quantity: number; unitCents: number }[];
  /** What lies between the lines and the total. */
  adjustments: { label: string; cents: number }[];
  totalCents: number;
  card: PaidCard | null;
  /** The number of the receipt that a credit note corrects. */
  corrects: number | null;
  message: string;
}

export interface ReceiptTables {
  refunds: {
    id: string;
    order_id: string;
    cents: number;
    reason: string;
    state: 'pending' | 'done' | 'failed';
    user_id: string | null;
    created_at: Date;
    finished_at: Defaulted<Date | null>;
    /** In the provider's spelling, e.g. "visa"; known when the refund is done. */
    card_brand: Defaulted<string | null>;
    card_last4: Defaulted<string | null>;
    /** For the buyer; the reason is for administrators. */
    message: Defaulted<string>;
    /** Of an amount, which withdraws nothing. */
    is_amount: Defaulted<boolean>;
    /** From 1; an administrator who tries a failed refund again begins the next. */
    attempt: Defaulted<number>;
    /** The provider's refund that gives it; null until the provider has taken it on. Several may be given by one. */
    provider_id: Defaulted<string | null>;
    /** Why it failed, in the provider's spelling. */
    failure: Defaulted<string | null>;
    /** How it was given back in another way than by the provider, in an administrator's words. */
    settled_note: Defaulted<string | null>;
  };
  order_notes: { id: string; order_id: string; user_id: string | null; text: string; created_at: Date };
  refund_lines: { refund_id: string; order_line_id: string; quantity: number };
  cancellations: { order_id: string; user_id: string; card_key: Buffer | null; at: Date };
  /**
   * Claims of a bank against a paid order: a dispute, or an early fraud warning; or the restore of a backup, after which some of it may
   * be another buyer's. While one is open, the order is frozen.
   */
  order_freezes: {
    /** The provider's; of a restore, `restore/` and the order's. */
    id: string;
    order_id: string;
    cause: 'dispute' | 'fraud-warning' | 'restore';
    frozen_at: Date;
    ended_at: Date | null;
    /** `lifted`: by an administrator. */
    outcome: 'won' | 'lost' | 'lifted' | null;
  };
  receipts: {
    number: number;
    order_id: string;
    /** Of a credit note. */
    refund_id: string | null;
    issued_at: Date;
    content: ColumnType<ReceiptContent, string, never>;
  };
  receipt_series: { is_only: true; last_number: number; orders_until: Date; refunds_until: Date };
}
