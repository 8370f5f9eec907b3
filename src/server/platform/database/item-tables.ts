import type { GeneratedAlways } from 'kysely';
import type { ItemState } from '../../../shared/inventory.ts';
import type { Defaulted } from './account-tables.ts';

interface EncryptedRow {
  key_id: string;
  nonce: Buffer;
  ciphertext: Buffer;
}

/** What is delivered, and who read it. */
export interface ItemTables {
  items: {
    id: string;
    product_id: string;
    state: ItemState;
    key_id: string;
    nonce: Buffer;
    ciphertext: Buffer;
    content_hmac: Buffer;
    order_line_id: string | null;
    unit: number | null;
    added_at: Date;
    delivered_at: Date | null;
    first_viewed_at: Date | null;
    void_reason: Defaulted<string | null>;
    replaced_by: Defaulted<string | null>;
    /** When it was last put on sale again. */
    restored_at: Defaulted<Date | null>;
    /** The product that it was uploaded for; null while that is its product. */
    uploaded_for: Defaulted<string | null>;
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
    reason: Defaulted<string | null>;
    at: Date;
  };
  shared_contents: EncryptedRow & { product_id: string; version: Defaulted<number>; updated_at: Date };
  buyer_answers: EncryptedRow & { order_line_id: string };
}
