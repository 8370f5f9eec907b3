import type { CardError, Intent } from '@kedai/stripe-test-mode/store';
import type { Generated, JSONColumnType } from 'kysely';

/** Tables of the built-in test-mode payment provider (migration 0002). */
export interface TestModeTables {
  test_mode_account: {
    only_one: Generated<boolean>;
    publishable_key: string;
    secret_key: string;
    webhook_secret: string;
    created_at: Date;
  };
  test_mode_intents: {
    id: string;
    client_secret: string;
    status: Intent['status'];
    version: number;
    amount_cents: number;
    captured_cents: number;
    refunded_cents: number;
    currency: string;
    metadata: JSONColumnType<Record<string, string>>;
    receipt_email: string | null;
    payment_method_id: string | null;
    card_brand: string | null;
    card_last4: string | null;
    charge_id: string | null;
    last_error: JSONColumnType<CardError | null, string | null, string | null>;
    capture_before: Date | null;
    canceled_at: Date | null;
    cancellation_reason: string | null;
    created_at: Date;
  };
  test_mode_refunds: {
    id: string;
    intent_id: string;
    amount_cents: number;
    reason: string | null;
    metadata: JSONColumnType<Record<string, string>, Record<string, string> | undefined>;
    created_at: Date;
  };
  test_mode_idempotency_keys: {
    key: string;
    request_hash: Buffer;
    request_id: string;
    status: number;
    body: string;
    created_at: Date;
  };
  test_mode_events: {
    id: string;
    type: string;
    payload: string;
    created_at: Date;
    attempts: Generated<number>;
    next_attempt_at: Date;
  };
}
