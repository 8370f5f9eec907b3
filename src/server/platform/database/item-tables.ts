import type { Generated, GeneratedAlways } from 'kysely';
import type { ItemState } from '../../../shared/inventory.ts';
import type { Problem, ReportOutcome } from '../../../shared/problem-reports.ts';

export interface EncryptedRow {
  key_id: string;
  nonce: Buffer;
  ciphertext: Buffer;
}

/** Tables of items, their contents, and who read them. */
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

/** Tables of buyers' reports about delivered items. */
export interface ReportTables {
  problem_reports: {
    id: string;
    order_id: string;
    item_id: string;
    problem: Problem;
    opened_at: Date;
    /** Since when the buyer waits for an answer; null when the shop has written last. */
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
