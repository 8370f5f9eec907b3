import type { ColumnType, JSONColumnType } from 'kysely';
import type { Role } from '../../../shared/accounts.ts';

export type Defaulted<T> = ColumnType<T, T | undefined, T>;

interface UsersTable {
  id: string;
  email: string;
  email_verified_at: Date | null;
  name: string;
  phone: Defaulted<string>;
  role: Defaulted<Role>;
  password_hash: string | null;
  password_changed_at: Defaulted<Date | null>;
  street: Defaulted<string>;
  city: Defaulted<string>;
  state: Defaulted<string>;
  zip_code: Defaulted<string>;
  country: Defaulted<string>;
  blocked_at: Defaulted<Date | null>;
  block_reason: Defaulted<string | null>;
  created_at: Date;
}

interface SessionsTable {
  id: string;
  user_id: string;
  created_at: Date;
  expires_at: Date;
  revoked_at: Date | null;
  ip: string;
  user_agent: string;
  last_seen_at: Date;
  remembered: Defaulted<boolean>;
  /** When password or two-factor code was last proven in it. */
  authenticated_at: Date;
  device_hash: Defaulted<Buffer | null>;
}

interface DevicesTable {
  token_hash: Buffer;
  user_id: string;
  created_at: Date;
  expires_at: Date;
}

interface TwoFactorSecretsTable {
  user_id: string;
  key_id: string;
  nonce: Buffer;
  ciphertext: Buffer;
  created_at: Date;
  enabled_at: Date | null;
  /** A bigint: node-postgres gives it as a string. */
  last_step: ColumnType<string, number | undefined, number>;
}

interface BackupCodesTable {
  user_id: string;
  code_hash: Buffer;
  used_at: Date | null;
}

interface PendingLoginsTable {
  id: string;
  user_id: string;
  remembered: boolean;
  tries: Defaulted<number>;
  device_hash: Buffer | null;
  created_at: Date;
  expires_at: Date;
  used_at: Date | null;
}

interface AccountLinksTable {
  token_hash: Buffer;
  kind: 'password-reset' | 'email-change' | 'email-verification';
  user_id: string;
  email: string;
  created_at: Date;
  expires_at: Date;
  used_at: Date | null;
}

/** Two-factor as it stood at a moment; binary values in base64, encrypted or hashed as in their own tables. */
export interface TwoFactorSnapshot {
  keyId: string;
  nonce: string;
  ciphertext: string;
  createdAt: string;
  enabledAt: string;
  lastStep: number;
  /** Of the codes that were not used. */
  backupCodeHashes: string[];
}

interface VerificationsTable {
  id: string;
  purpose: 'email-undo';
  user_id: string;
  email: string;
  data: JSONColumnType<{ twoFactor: TwoFactorSnapshot | null }>;
  token_hash: Buffer | null;
  tries: Defaulted<number>;
  created_at: Date;
  expires_at: Date;
  used_at: Date | null;
}

interface EmailChangesTable {
  user_id: string;
  email: string;
  asked_at: Date;
}

interface OrderLookupsTable {
  id: string;
  order_id: string | null;
  code_hash: Buffer | null;
  network: Defaulted<string>;
  tries: Defaulted<number>;
  created_at: Date;
  expires_at: Date;
  used_at: Date | null;
}

interface CartEntriesTable {
  user_id: string;
  product_id: string;
  quantity: number;
  added_at: Date;
}

/** What is known of people and their ways in. */
export interface AccountTables {
  users: UsersTable;
  sessions: SessionsTable;
  devices: DevicesTable;
  two_factor_secrets: TwoFactorSecretsTable;
  backup_codes: BackupCodesTable;
  pending_logins: PendingLoginsTable;
  account_links: AccountLinksTable;
  verifications: VerificationsTable;
  email_changes: EmailChangesTable;
  order_lookups: OrderLookupsTable;
  cart_entries: CartEntriesTable;
}
