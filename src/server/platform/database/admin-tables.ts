import type { ColumnType, Generated, GeneratedAlways } from 'kysely';
import type { AlertKind } from '../../../shared/admin.ts';
import type { NoticeDelivery, NoticeKind } from '../../../shared/notices.ts';

/** Tables of the dashboard: statistics, audit log, closing, alerts and notices. */
export interface AdminTables {
  sales_days: {
    /** YYYY-MM-DD. */
    day: string;
    orders: number;
    /** A bigint: node-postgres returns it as a string. */
    revenue_cents: ColumnType<string, number, number>;
  };
  product_sales: {
    product_id: string;
    units_7: number;
    cents_7: ColumnType<string, number, number>;
    units_30: number;
    cents_30: ColumnType<string, number, number>;
    units_90: number;
    cents_90: ColumnType<string, number, number>;
  };
  audit_log: {
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
  };
  shop_closed: { is_only: Generated<boolean>; since: Date; reason: string; message: string };
  alerts: {
    id: string;
    kind: AlertKind;
    subject: string;
    order_id: string | null;
    raised_at: Date;
    ended_at: Generated<Date | null>;
    end_reason: Generated<string | null>;
  };
  notices: {
    id: string;
    kind: NoticeKind;
    subject: string;
    about_id: string;
    /** Units left to sell, for a notice about a product. */
    units: number | null;
    created_at: Date;
    read_at: Date | null;
    /** Null for a notice that is only on the dashboard. */
    mailed_as: 'each' | 'digest' | null;
    mailed_at: Date | null;
  };
  notice_mails: { mail_id: string; notice_ids: string[] };
  notice_settings: { kind: NoticeKind; delivery: NoticeDelivery };
  notice_mutes: { user_id: string };
  /** 0: sold out; 1: low; 2: more than that. */
  stock_levels: { product_id: string; level: 0 | 1 | 2 };
}
