import type { ColumnType, GeneratedAlways, Selectable } from 'kysely';
import type { AlertKind } from '../../../shared/admin.ts';
import type { Defaulted } from './account-tables.ts';

interface RefundsTable {
  id: string;
  order_id: string;
  cents: number;
  reason: string;
  state: 'pending' | 'done' | 'failed';
  user_id: string | null;
  created_at: Date;
  finished_at: Defaulted<Date | null>;
  /** As the provider names it, e.g. "visa"; told when the refund is done. */
  card_brand: Defaulted<string | null>;
  card_last4: Defaulted<string | null>;
}

interface RefundLinesTable {
  refund_id: string;
  order_line_id: string;
  quantity: number;
}

interface ImagesTable {
  id: string;
  content: Buffer;
  media_type: string;
  width: number;
  height: number;
  created_at: Date;
  unused_since: Defaulted<Date | null>;
}

interface SalesDaysTable {
  /** YYYY-MM-DD. */
  day: string;
  orders: number;
  /** A bigint: node-postgres gives it as a string. */
  revenue_cents: ColumnType<string, number, number>;
}

interface ProductSalesTable {
  product_id: string;
  units_7: number;
  cents_7: ColumnType<string, number, number>;
  units_30: number;
  cents_30: ColumnType<string, number, number>;
  units_90: number;
  cents_90: ColumnType<string, number, number>;
}

interface AuditLogTable {
  id: GeneratedAlways<string>;
  at: Date;
  user_id: string | null;
  actor: string;
  ip: string;
  action: string;
  subject_type: string;
  subject_id: string;
  summary: string;
  hash: Buffer;
}

interface AlertsTable {
  id: string;
  kind: AlertKind;
  subject: string;
  order_id: string | null;
  raised_at: Date;
  ended_at: Defaulted<Date | null>;
  end_reason: Defaulted<string | null>;
}

/** What running the shop needs (migration 0005). */
export interface AdminTables {
  refunds: RefundsTable;
  refund_lines: RefundLinesTable;
  images: ImagesTable;
  sales_days: SalesDaysTable;
  product_sales: ProductSalesTable;
  audit_log: AuditLogTable;
  alerts: AlertsTable;
}

export type AlertRow = Selectable<AlertsTable>;
export type RefundRow = Selectable<RefundsTable>;
export type AuditRow = Selectable<AuditLogTable>;
