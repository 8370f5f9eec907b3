import type { ColumnType, GeneratedAlways, Insertable, Selectable } from 'kysely';
import type { ItemState } from '../../../shared/inventory.ts';
import type { OrderState } from '../../../shared/orders.ts';
import type { AccountTables, Defaulted } from './account-tables.ts';
import type { AdminTables } from './admin-tables.ts';
import type { TestModeTables } from './test-mode-tables.ts';

interface ProductsTable {
  id: string;
  kind: 'digital' | 'physical';
  name: string;
  description: string;
  category: string;
  image: string;
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
  flash_units_taken: Defaulted<number>;
  sold_count: Defaulted<number>;
  featured: Defaulted<boolean>;
  is_active: Defaulted<boolean>;
  delivery_instructions: Defaulted<string>;
  warranty_days: Defaulted<number>;
  /** Of a physical product; null for a digital one, as is `stock`. */
  brand: string | null;
  stock: number | null;
  rating_tenths: Defaulted<number>;
  review_count: Defaulted<number>;
  version: Defaulted<number>;
  deleted_at: Defaulted<Date | null>;
  created_at: Date;
}

interface OrdersTable {
  id: string;
  type: 'digital' | 'physical';
  state: OrderState;
  user_id: string | null;
  contact_email: string;
  guest: boolean;
  guest_name: Defaulted<string>;
  guest_phone: Defaulted<string>;
  made_account: Defaulted<boolean>;
  checkout_hash: Buffer | null;
  ip: Defaulted<string>;
  /** Written once and only counted by. */
  counted_network: ColumnType<never, string | null | undefined, never>;
  items_cents: number;
  tax_cents: number;
  shipping_cents: Defaulted<number>;
  total_cents: number;
  payment_intent_id: string | null;
  payment_attempt: Defaulted<number>;
  refund_reason: string | null;
  cancel_reason: 'abandoned' | 'replaced' | 'payment-failed' | 'by-admin' | null;
  shipping_street: string | null;
  shipping_city: string | null;
  shipping_state: string | null;
  shipping_zip_code: string | null;
  shipping_country: string | null;
  created_at: Date;
  hold_expires_at: Date;
  /** Read by lock_and_find_repeat() alone. */
  retried_at: ColumnType<never, never, Date>;
  paid_at: Date | null;
  fulfilled_at: Date | null;
  cancelled_at: Date | null;
  refunded_at: Date | null;
  shipped_at: Date | null;
  delivered_at: Date | null;
  carrier: Defaulted<string | null>;
  tracking_number: Defaulted<string | null>;
  refunded_cents: Defaulted<number>;
  disputed_at: Defaulted<Date | null>;
  sweep_at: Date | null;
}

interface OrderLinesTable {
  id: string;
  order_id: string;
  position: number;
  product_id: string;
  name: string;
  image: string;
  quantity: number;
  unit_price_cents: number;
  takes_flash_units: Defaulted<boolean>;
  delivery_instructions: string;
  warranty_days: number;
}

interface ItemsTable {
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
}

interface RevealsTable {
  id: GeneratedAlways<string>;
  item_id: string;
  /** Null when an administrator read what nobody had bought. */
  order_id: string | null;
  /** Null when a mailed lookup code opened the order. */
  user_id: string | null;
  ip: string;
  user_agent: string;
  /** An administrator's. */
  reason: Defaulted<string | null>;
  at: Date;
}

interface WebhookEventsTable {
  id: string;
  type: string;
  finished_at: Date;
}

interface MailsTable {
  id: string;
  kind: string;
  recipient: string;
  order_id: string | null;
  user_id: string | null;
  verification_id: Defaulted<string | null>;
  created_at: Date;
  sent_at: Date | null;
}

interface DataKeysTable {
  id: string;
  master_key_id: string;
  wrapped_key: Buffer;
  created_at: Date;
  retired_at: Date | null;
}

export interface Tables extends AccountTables, AdminTables, TestModeTables {
  products: ProductsTable;
  orders: OrdersTable;
  order_lines: OrderLinesTable;
  items: ItemsTable;
  reveals: RevealsTable;
  webhook_events: WebhookEventsTable;
  mails: MailsTable;
  data_keys: DataKeysTable;
  rate_counts: { key: string; points: number; expire: number };
  rate_waits: { key: string; tries: number; allowed: boolean; open_at: Date; expires_at: Date };
  declines: { id: string; order_id: string; at: Date };
  shop_facts: { name: string; value: string };
}

export type UserRow = Selectable<AccountTables['users']>;
export type ProductRow = Selectable<ProductsTable>;
export type NewProduct = Insertable<ProductsTable>;
export type OrderRow = Selectable<OrdersTable>;
export type OrderLineRow = Selectable<OrderLinesTable>;
export type ItemRow = Selectable<ItemsTable>;
export type { TwoFactorSnapshot } from './account-tables.ts';
export type { AlertRow, AuditRow, RefundRow } from './admin-tables.ts';
