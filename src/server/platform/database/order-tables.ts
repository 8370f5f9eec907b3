import type { Claim, Intent, Keys, Refund, StoredEvent, StoredResponse } from '@kedai/stripe-test-mode/store';
import type { ColumnType, Generated, GeneratedAlways } from 'kysely';
import type { ItemState } from '../../../shared/inventory.ts';
import type { PaidCard, RefundState } from '../../../shared/orders.ts';
import type { Problem, ReportOutcome } from '../../../shared/problem-reports.ts';
import type { ShippingAddress } from '../../../shared/shipping.ts';

export interface EncryptedRow {
  key_id: string;
  nonce: Buffer;
  ciphertext: Buffer;
}

export interface ItemTables {
  items: EncryptedRow & {
    id: string;
    product_id: string;
    state: ItemState;
    content_hmac: Buffer;
    order_line_id: string | null;
    unit: number | null;
    added_at: Date;
    delivered_at: Date | null;
    first_viewed_at: Date | null;
    void_reason: Generated<string | null>;
    replaced_by: Generated<string | null>;
    /** When the item was last put on sale again. */
    restored_at: Generated<Date | null>;
    /** The product that the item was uploaded for; null while `product_id` is that product. */
    uploaded_for: Generated<string | null>;
    /** Set by the restore of a backup: the item is not on sale until it is released. */
    set_aside_at: Generated<Date | null>;
    /** Set when a payment whose order is not in the restored backup names this item: it may belong to that buyer. */
    resold_at: Generated<Date | null>;
  };
  reveals: {
    id: GeneratedAlways<string>;
    item_id: string;
    /** Null when an administrator read an unsold item. */
    order_id: string | null;
    /** Null when the order was opened with a mailed lookup code. */
    user_id: string | null;
    ip: string;
    user_agent: string;
    reason: Generated<string | null>;
    at: Date;
  };
  shared_contents: EncryptedRow & { product_id: string; version: Generated<number>; updated_at: Date };
  buyer_answers: EncryptedRow & { order_line_id: string };
}

export interface ReportTables {
  problem_reports: {
    id: string;
    order_id: string;
    item_id: string;
    /** In the order; a trigger writes it. */
    product_name: GeneratedAlways<string>;
    problem: Problem;
    opened_at: Date;
    /** Since when the buyer waits for an answer; null when the last message is the shop's. */
    waiting_since: Date | null;
    closed_at: Generated<Date | null>;
    outcome: Generated<ReportOutcome | null>;
  };
  report_messages: EncryptedRow & {
    id: string;
    report_id: string;
    /** The administrator who wrote it; null for the buyer. */
    user_id: string | null;
    has_picture: boolean;
    at: Date;
  };
  report_pictures: EncryptedRow & { message_id: string; at: Date };
}

/** The content of a receipt or a credit note, which never changes once issued. Money is integer cents of USD. */
export interface ReceiptContent {
  kind: 'receipt' | 'credit-note';
  seller: { name: string; address: string; taxId: string };
  buyer: { name: string; email: string; address: ShippingAddress | null };
  orderedAt: string;
  paidAt: string;
  lines: { name: string; quantity: number; unitCents: number }[];
  /** Amounts between the lines and the total, e.g. tax. */
  adjustments: { label: string; cents: number }[];
  totalCents: number;
  card: PaidCard | null;
  /** For a credit note: the money was refunded in another way than to the card. Older credit notes lack this field. */
  isByHand?: boolean;
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
    state: RefundState;
    user_id: string | null;
    created_at: Date;
    finished_at: Generated<Date | null>;
    /** In the provider's spelling, e.g. "visa"; known when the refund is done. */
    card_brand: Generated<string | null>;
    card_last4: Generated<string | null>;
    /** For the buyer; `reason` is for administrators. */
    message: Generated<string>;
    /** True for a refund of an amount, which withdraws no goods. */
    is_amount: Generated<boolean>;
    /** Counts from 1. A retry of a failed refund by an administrator begins the next attempt. */
    attempt: Generated<number>;
    /** The refund's id at the provider; null until the provider has accepted it. Several rows may share one. */
    provider_id: Generated<string | null>;
    /** Why it failed, in the provider's spelling. */
    failure: Generated<string | null>;
    /** An administrator's note on how the money was given back without the provider. */
    settled_note: Generated<string | null>;
    /** The refund from which this one was split off after its credit note was issued: the note is of both. */
    split_from: Generated<string | null>;
  };
  order_notes: { id: string; order_id: string; user_id: string | null; text: string; created_at: Date };
  refund_lines: { refund_id: string; order_line_id: string; quantity: number };
  cancellations: { order_id: string; user_id: string; card_key: Buffer | null; at: Date };
  /**
   * Reasons why a paid order is frozen: a claim of the bank (dispute, inquiry or early fraud warning), or the restore
   * of a backup, after which items may be another buyer's. Frozen while a row has no `ended_at`.
   */
  order_freezes: {
    /** The provider's id of the claim; for a restore, `restore/` and the order's id. */
    id: string;
    order_id: string;
    cause: 'dispute' | 'inquiry' | 'fraud-warning' | 'restore';
    frozen_at: Date;
    ended_at: Date | null;
    /** `lifted`: ended by an administrator. `lost` without `ended_at`: lost in part. */
    outcome: 'won' | 'lost' | 'lifted' | null;
    /** What a dispute of a part has taken while it is lost. */
    lost_cents: Generated<number | null>;
  };
  receipts: {
    number: number;
    order_id: string;
    /** Set on a credit note. */
    refund_id: string | null;
    issued_at: Date;
    content: ColumnType<ReceiptContent, string, never>;
  };
  receipt_series: { is_only: true; last_number: number; orders_until: Date; refunds_until: Date };
}

type SnakeCase<Name> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${SnakeCase<Rest>}`
  : '';

/** An object of the package as a row of its table, with column names in snake case. */
type RowOf<T> = { [Name in keyof T as SnakeCase<Name>]: T[Name] } & { created_at: Date };

/** Tables of the built-in test-mode payment provider (migration 0002). */
export interface TestModeTables {
  test_mode_account: RowOf<Keys> & { only_one: Generated<boolean> };
  test_mode_intents: RowOf<Intent>;
  test_mode_refunds: RowOf<Omit<Refund, 'metadata' | 'status'>> & {
    metadata: Generated<Refund['metadata']>;
    status: Generated<Refund['status']>;
  };
  test_mode_claims: RowOf<Omit<Claim, 'caseType' | 'amountCents'>> & {
    case_type: Generated<Claim['caseType']>;
    amount_cents: Generated<Claim['amountCents']>;
  };
  test_mode_idempotency_keys: RowOf<StoredResponse>;
  test_mode_events: RowOf<StoredEvent>;
}
