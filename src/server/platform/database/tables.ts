import type { ColumnType, Generated, GeneratedAlways, Insertable, Selectable } from 'kysely';
import type { BuyerField, ProductKind } from '../../../shared/catalog.ts';
import type { Delivery } from '../../../shared/catalog-choices.ts';
import type { OrderState } from '../../../shared/orders.ts';
import type { AccountTables, AdminTables } from './account-tables.ts';
import type { EncryptedRow, ItemTables, ReceiptTables, ReportTables, TestModeTables } from './order-tables.ts';

export interface Tables extends AccountTables, AdminTables, ItemTables, ReceiptTables, ReportTables, TestModeTables {
  products: {
    id: string;
    kind: ProductKind;
    name: string;
    description: string;
    category: string;
    image: string;
    /** The pictures after `image`, in their order. */
    more_images: Generated<string[]>;
    price_cents: number;
    discount_type: 'percentage' | 'fixed' | null;
    discount_basis_points: number | null;
    discount_cents: number | null;
    discount_starts_at: Date | null;
    discount_ends_at: Date | null;
    flash_price_cents: number | null;
    flash_starts_at: Date | null;
    flash_ends_at: Date | null;
    flash_units_limit: number | null;
    flash_units_taken: Generated<number>;
    sold_count: Generated<number>;
    featured: Generated<boolean>;
    is_active: Generated<boolean>;
    /** True until the product is on sale for the first time. */
    is_draft: Generated<boolean>;
    delivery_instructions: Generated<string>;
    warranty_days: Generated<number>;
    /** How a digital product is delivered; null for a physical one. */
    delivery: Delivery | null;
    /** For a file: how many times, and for how many days, a buyer may download it; null without a limit. */
    download_limit: Generated<number | null>;
    download_days: Generated<number | null>;
    /** Where the product can be activated; null where it does not matter. */
    region: Generated<string | null>;
    platform: Generated<string | null>;
    /** The fields that the checkout asks the buyer to fill in. */
    buyer_fields: ColumnType<BuyerField[], string | undefined, string>;
    /** Set for a physical product; null for a digital one. */
    brand: string | null;
    /** Units left: on the shelf for a physical product, of the limit for a digital one; null without a limit. */
    stock: number | null;
    /** The product is low on stock when at most this many units are left. */
    low_stock: Generated<number>;
    weight_grams: Generated<number | null>;
    length_mm: Generated<number | null>;
    width_mm: Generated<number | null>;
    height_mm: Generated<number | null>;
    /** Rating and count are derived from the published reviews (reviews.queries.ts). */
    rating_tenths: Generated<number>;
    review_count: Generated<number>;
    version: Generated<number>;
    deleted_at: Generated<Date | null>;
    created_at: Date;
  };
  orders: {
    id: string;
    type: ProductKind;
    state: OrderState;
    user_id: string | null;
    contact_email: string;
    guest: boolean;
    guest_name: Generated<string>;
    guest_phone: Generated<string>;
    made_account: Generated<boolean>;
    checkout_hash: Buffer | null;
    ip: Generated<string>;
    /** Written once. Only the statements that count unpaid orders read it. */
    counted_network: ColumnType<never, string | null | undefined, never>;
    items_cents: number;
    tax_cents: number;
    shipping_cents: Generated<number>;
    total_cents: number;
    payment_intent_id: string | null;
    payment_attempt: Generated<number>;
    /** JSON of a PaidCard, written when the order is fulfilled; only receipts read it. */
    paid_card: ColumnType<never, never, string | null>;
    refund_reason: string | null;
    cancel_reason: 'abandoned' | 'replaced' | 'payment-failed' | 'by-admin' | null;
    shipping_street: string | null;
    shipping_city: string | null;
    shipping_state: string | null;
    shipping_zip_code: string | null;
    shipping_country: string | null;
    created_at: Date;
    hold_expires_at: Date;
    /** Read only by lock_and_find_repeat(). */
    retried_at: ColumnType<never, never, Date>;
    paid_at: Date | null;
    fulfilled_at: Date | null;
    cancelled_at: Date | null;
    refunded_at: Date | null;
    /** When the last unit was shipped, and when the last parcel arrived. Both are derived from `parcels`. */
    shipped_at: Date | null;
    delivered_at: Date | null;
    refunded_cents: Generated<number>;
    /** What disputes of a part have taken, less refunds that were settled with it (followLoss). Read only by sums. */
    lost_cents: ColumnType<never, never, never>;
    disputed_at: Generated<Date | null>;
    /** Units of a fulfilled order that a person still has to deliver. */
    waiting_units: Generated<number>;
    sweep_at: Date | null;
    /** Set when the order's e-mail was corrected: its items are hidden until then. */
    items_open_at: Generated<Date | null>;
  };
  order_lines: {
    id: string;
    order_id: string;
    position: number;
    product_id: string;
    name: string;
    image: string;
    quantity: number;
    unit_price_cents: number;
    takes_flash_units: Generated<boolean>;
    delivery_instructions: string;
    warranty_days: number;
    /** How the product was delivered when it was ordered; null for physical goods. */
    delivery: Generated<Delivery | null>;
    download_limit: Generated<number | null>;
    download_days: Generated<number | null>;
    region: Generated<string | null>;
    platform: Generated<string | null>;
    /** Only for counted goods: null for items from stock. */
    counted_state: Generated<'held' | 'allocated' | 'sold' | 'released' | null>;
    counted_units: Generated<number>;
  };
  stock_changes: {
    id: GeneratedAlways<string>;
    product_id: string;
    order_line_id: string | null;
    units: number;
    reason: 'counted' | 'held' | 'released' | 'returned';
    at: Date;
  };
  parcels: {
    id: string;
    order_id: string;
    number: number;
    carrier: string | null;
    tracking_number: string | null;
    shipped_at: Date;
    delivered_at: Generated<Date | null>;
  };
  parcel_lines: { parcel_id: string; order_line_id: string; quantity: number };
  product_files: {
    id: string;
    product_id: string;
    /** Null during the upload, like `sha256` and `published_at`. */
    version: Generated<number | null>;
    name: string;
    media_type: string;
    bytes: number;
    sha256: Generated<Buffer | null>;
    created_at: Date;
    published_at: Generated<Date | null>;
    superseded_at: Generated<Date | null>;
    /** Whether earlier buyers are notified by mail. */
    tells_buyers: Generated<boolean>;
  };
  file_chunks: EncryptedRow & { file_id: string; number: number };
  download_grants: {
    id: string;
    token_hash: Buffer;
    item_id: string;
    file_id: string;
    session_id: string;
    created_at: Date;
    expires_at: Date;
  };
  webhook_events: { id: string; type: string; finished_at: Date };
  mails: {
    id: string;
    kind: string;
    recipient: string;
    order_id: string | null;
    user_id: string | null;
    verification_id: Generated<string | null>;
    /** The version of a product's file that the mail is about. */
    file_id: Generated<string | null>;
    created_at: Date;
    sent_at: Date | null;
    /** When the mail was given up: the mail server rejected it permanently, or was unavailable for days. */
    refused_at: Generated<Date | null>;
  };
  data_keys: { id: string; master_key_id: string; wrapped_key: Buffer; created_at: Date; retired_at: Date | null };
  rate_counts: { key: string; points: number; expire: number };
  rate_waits: { key: string; tries: number; allowed: boolean; open_at: Date; expires_at: Date };
  declines: { id: string; order_id: string; at: Date };
  shop_facts: { name: string; value: string };
  images: {
    id: string;
    content: Buffer;
    media_type: string;
    width: number;
    height: number;
    created_at: Date;
    unused_since: Generated<Date | null>;
  };
}

export type UserRow = Selectable<Tables['users']>;
export type ProductRow = Selectable<Tables['products']>;
export type NewProduct = Insertable<Tables['products']>;
export type OrderRow = Selectable<Tables['orders']>;
export type OrderLineRow = Selectable<Tables['order_lines']>;
export type ParcelRow = Selectable<Tables['parcels']>;
export type ItemRow = Selectable<Tables['items']>;
export type ProductFileRow = Selectable<Tables['product_files']>;
export type ReportRow = Selectable<Tables['problem_reports']>;
export type FreezeRow = Selectable<Tables['order_freezes']>;
export type RefundRow = Selectable<Tables['refunds']>;
export type ReviewRow = Selectable<Tables['reviews']>;
export type ReceiptRow = Selectable<Tables['receipts']>;
export type AuditRow = Selectable<Tables['audit_log']>;
export type ClosedRow = Omit<Selectable<Tables['shop_closed']>, 'is_only'>;
export type AlertRow = Selectable<Tables['alerts']>;
export type NoticeRow = Selectable<Tables['notices']>;
