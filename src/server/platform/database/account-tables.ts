import type { ColumnType } from 'kysely';
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
  /** The address that its use proves. */
  email: string | null;
  /** What tries or requests are counted by: the hash of a login's known device, the network of an order lookup. */
  origin: Defaulted<string>;
  data: ColumnType<VerificationData, string | undefined, string>;
  /** SHA-256 of a link's token, HMAC of a code; null until the mail is made, and for a login. */
  secret_hash: Buffer | null;
  tries: Defaulted<number>;
  created_at: Date;
  expires_at: Date;
  used_at: Date | null;
}

/** What only one purpose needs to know. */
interface VerificationData {
  /** Of a login: whether the session is to be a long one. */
  remember?: boolean;
  /** Of an undo: two-factor before the change of the address; null when it was off. */
  twoFactor?: TwoFactorSnapshot | null;
}

interface EmailChangesTable {
  user_id: string;
  email: string;
  asked_at: Date;
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
  verifications: VerificationsTable;
  email_changes: EmailChangesTable;
  cart_entries: CartEntriesTable;
}
