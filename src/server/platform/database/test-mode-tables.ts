import type { Claim, Intent, Keys, Refund, StoredEvent, StoredResponse } from '@kedai/stripe-test-mode/store';
import type { Generated } from 'kysely';

type SnakeCase<Name> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${SnakeCase<Rest>}`
  : '';

/** An object of the package as a row of its table, with column names in snake case. */
type RowOf<T> = { [Name in keyof T as SnakeCase<Name>]: T[Name] } & { created_at: Date };

/** Tables of the built-in test-mode payment provider (migration 0002). */
export interface TestModeTables {
  test_mode_account: RowOf<Keys> & { only_one: Generated<boolean> };
  test_mode_intents: RowOf<Intent>;
  test_mode_refunds: RowOf<Omit<Refund, 'metadata' | 'status'>> & {
    metadata: Generated<Refund['metadata']>;
    status: Generated<Refund['status']>;
  };
  test_mode_claims: RowOf<Omit<Claim, 'caseType' | 'amountCents'>> & {
    case_type: Generated<Claim['caseType']>;
    amount_cents: Generated<Claim['amountCents']>;
  };
  test_mode_idempotency_keys: RowOf<StoredResponse>;
  test_mode_events: RowOf<StoredEvent>;
}
