import type { ColumnType, Generated, GeneratedAlways } from 'kysely';
import type { Role } from '../../../shared/accounts.ts';
import type { AlertKind } from '../../../shared/admin.ts';
import type { NoticeDelivery, NoticeKind } from '../../../shared/notices.ts';
import type { ReviewState } from '../../../shared/reviews.ts';

/** A snapshot of the two-factor settings. Binary values are in base64, encrypted or hashed as in their own tables. */
export interface TwoFactorSnapshot {
  keyId: string;
  nonce: string;
  ciphertext: string;
  createdAt: string;
  enabledAt: string;
  lastStep: number;
  backupCodeHashes: string[];
}

export interface VerificationData {
  /** Set for a login: whether "Remember me" was chosen. */
  remember?: boolean;
  /** Set for the undo of an e-mail change: two-factor before it; null when it was off. */
  twoFactor?: TwoFactorSnapshot | null;
}

export interface AccountTables {
  users: {
    id: string;
    email: string;
    email_verified_at: Date | null;
    name: string;
    phone: Generated<string>;
    role: Generated<Role>;
    password_hash: string | null;
    password_changed_at: Generated<Date | null>;
    street: Generated<string>;
    city: Generated<string>;
    state: Generated<string>;
    zip_code: Generated<string>;
    country: Generated<string>;
    blocked_at: Generated<Date | null>;
    block_reason: Generated<string | null>;
    created_at: Date;
  };
  sessions: {
    id: string;
    user_id: string;
    created_at: Date;
    expires_at: Date;
    revoked_at: Date | null;
    ip: string;
    user_agent: string;
    last_seen_at: Date;
    remembered: Generated<boolean>;
    /** When the password or a two-factor code was last entered in the session. */
    authenticated_at: Date;
    device_hash: Generated<Buffer | null>;
  };
  devices: { token_hash: Buffer; user_id: string; created_at: Date; expires_at: Date };
  two_factor_secrets: {
    user_id: string;
    key_id: string;
    nonce: Buffer;
    ciphertext: Buffer;
    created_at: Date;
    enabled_at: Date | null;
    /** A bigint: node-postgres returns it as a string. */
    last_step: ColumnType<string, number | undefined, number>;
  };
  backup_codes: { user_id: string; code_hash: Buffer; used_at: Date | null };
  verifications: {
    id: string;
    purpose:
      | 'login'
      | 'password-reset'
      | 'email-verification'
      | 'email-change'
      | 'email-undo'
      | 'order-claim'
      | 'order-lookup';
    user_id: string | null;
    order_id: string | null;
    /** The mail that has the link; null if the verification is not made with its mail. */
    mail_id: Generated<string | null>;
    /** The e-mail that a use of the verification proves. */
    email: string | null;
    /** The key by which tries or requests are counted: the hash of a login's known device, the network of an order lookup. */
    origin: Generated<string>;
    data: ColumnType<VerificationData, string | undefined, string>;
    /** SHA-256 of a link's token or HMAC of a code; null until the mail is made, and for a login. */
    secret_hash: Buffer | null;
    tries: Generated<number>;
    created_at: Date;
    expires_at: Date;
    used_at: Date | null;
  };
  email_changes: { user_id: string; email: string; asked_at: Date };
  cart_entries: { user_id: string; product_id: string; quantity: number; added_at: Date };
  reviews: {
    id: string;
    product_id: string;
    user_id: string;
    order_line_id: string;
    /** The author's name when the review was written; everybody else sees its first name and initial. */
    author: Generated<string>;
    stars: number;
    title: string;
    text: string;
    state: Generated<ReviewState>;
    reject_reason: Generated<string | null>;
    reply: Generated<string | null>;
    replied_at: Generated<Date | null>;
    /** Counts the versions that the author has written. */
    version: Generated<number>;
    created_at: Date;
    updated_at: Date;
  };
}

/** Tables of the dashboard and of background work: statistics, audit log, closing, alerts and notices. */
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
  background_work: { name: string; started_at: Date };
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
  notice_settings: { kind: NoticeKind; delivery: NoticeDelivery; version: Generated<number> };
  notice_mutes: { user_id: string };
  /** 0: sold out; 1: low; 2: more than that. */
  stock_levels: { product_id: string; level: 0 | 1 | 2 };
}
