import { sql } from 'kysely';
import type { Database } from '../../database/open-database.ts';
import { notWaitingForTheDisk } from '../../database/relaxed-commit.ts';
import type { TestModeIntentRow, TestModeRefundRow } from '../../database/test-mode-tables.ts';
import { insertEventStatement } from './events.queries.ts';
import { firstUseOfKey, insertAnswerStatement, type RememberedAnswer } from './idempotency.queries.ts';
import type { ProviderEvent } from './stripe-objects.ts';

// Every change of state is one statement, hence one transaction: the change, its event and its remembered answer
// stand or fall together, for one round trip and one commit. That need not wait for the disk: what the shop makes of an
// answer it writes down itself, and that commit, later in the same log, brings this one there, too. Lost together with it,
// the request is made again, or the card asked for again.

// Named one by one, so that the statements can stay prepared while a newer process adds a column.
const columns = sql.raw(
  'i.id, i.client_secret, i.status, i.version, i.amount_cents, i.captured_cents, i.refunded_cents, i.currency, ' +
    'i.metadata, i.receipt_email, i.payment_method_id, i.card_brand, i.card_last4, i.charge_id, i.last_error, ' +
    'i.capture_before, i.canceled_at, i.cancellation_reason, i.created_at',
);

const nothing = sql``;
const ifChanged = sql`FROM changed`;

interface AnswerColumns {
  request_hash: Buffer | null;
  request_id: string | null;
  answer_status: number | null;
  body: string | null;
}

/** The intent and, in the same round trip, the answer for which the idempotency key already stands. */
export async function findIntent(
  db: Database,
  input: { id: string; idempotencyKey?: string | undefined },
): Promise<{ intent: TestModeIntentRow; remembered: RememberedAnswer | undefined } | undefined> {
  const key = input.idempotencyKey ?? null;
  const { rows } = await sql<TestModeIntentRow & AnswerColumns>`
    SELECT ${columns}, k.request_hash, k.request_id, k.status AS answer_status, k.body
    FROM test_mode_intents i
    LEFT JOIN test_mode_idempotency_keys k ON k.key = ${key}
    WHERE i.id = ${input.id}`.execute(db);
  const [row] = rows;
  if (!row) return undefined;
  const { request_hash: requestHash, request_id: requestId, answer_status: status, body, ...intent } = row;
  const known =
    key !== null && requestHash !== null && requestId !== null && status !== null && body !== null;
  return { intent, remembered: known ? { key, requestHash, requestId, status, body } : undefined };
}

/** False when the idempotency key was used already; then nothing was written. */
export async function insertIntent(
  db: Database,
  input: { intent: TestModeIntentRow; answer: RememberedAnswer | undefined; now: Date },
): Promise<boolean> {
  const { intent, answer, now } = input;
  const statement = sql`
    ${answer ? sql`WITH remembered AS (${insertAnswerStatement(answer, now)})` : nothing}
    INSERT INTO test_mode_intents (id, client_secret, status, version, amount_cents, captured_cents, refunded_cents,
      currency, metadata, receipt_email, created_at)
    VALUES (${intent.id}, ${intent.client_secret}, ${intent.status}, ${intent.version}, ${intent.amount_cents},
      ${intent.captured_cents}, ${intent.refunded_cents}, ${intent.currency}, ${JSON.stringify(intent.metadata)},
      ${intent.receipt_email}, ${intent.created_at})
    RETURNING ${notWaitingForTheDisk}`;
  return firstUseOfKey(async () => {
    await statement.execute(db);
    return true;
  });
}

/**
 * Saves what was decided on `intent.version`. False when the intent was changed or the key used meanwhile; then
 * nothing was written and the request must be decided again.
 */
export async function saveIntent(
  db: Database,
  input: {
    intent: TestModeIntentRow;
    event: ProviderEvent | undefined;
    refund: TestModeRefundRow | undefined;
    answer: RememberedAnswer | undefined;
    now: Date;
  },
): Promise<boolean> {
  const { intent, event, refund, answer, now } = input;
  const statement = sql`
    WITH changed AS (
      UPDATE test_mode_intents
      SET status = ${intent.status}, version = version + 1, captured_cents = ${intent.captured_cents},
        refunded_cents = ${intent.refunded_cents}, payment_method_id = ${intent.payment_method_id},
        card_brand = ${intent.card_brand}, card_last4 = ${intent.card_last4}, charge_id = ${intent.charge_id},
        last_error = ${intent.last_error && JSON.stringify(intent.last_error)},
        capture_before = ${intent.capture_before}, canceled_at = ${intent.canceled_at},
        cancellation_reason = ${intent.cancellation_reason}
      WHERE id = ${intent.id} AND version = ${intent.version}
      RETURNING id)
    ${event ? sql`, announced AS (${insertEventStatement(event, now, ifChanged)})` : nothing}
    ${refund ? sql`, refunded AS (${insertRefund(refund)})` : nothing}
    ${answer ? sql`, remembered AS (${insertAnswerStatement(answer, now, ifChanged)})` : nothing}
    SELECT id, ${notWaitingForTheDisk} FROM changed`;
  return firstUseOfKey(async () => (await statement.execute(db)).rows.length === 1);
}

function insertRefund(refund: TestModeRefundRow) {
  return sql`
    INSERT INTO test_mode_refunds (id, intent_id, amount_cents, reason, metadata, created_at)
    SELECT ${refund.id}::text, ${refund.intent_id}::text, ${refund.amount_cents}::integer, ${refund.reason}::text,
      ${JSON.stringify(refund.metadata)}::jsonb,
      ${refund.created_at}::timestamptz ${ifChanged}`;
}

/** Newest first, after the intent with the id `after` if given. */
export async function listIntents(
  db: Database,
  input: { createdSince: Date | undefined; after: string | undefined; limit: number },
): Promise<TestModeIntentRow[]> {
  const { createdSince, after, limit } = input;
  const { rows } = await sql<TestModeIntentRow>`
    SELECT ${columns}
    FROM test_mode_intents i
    WHERE ${createdSince ? sql`i.created_at >= ${createdSince}` : sql`true`}
      AND ${
        after === undefined
          ? sql`true`
          : sql`(i.created_at, i.id) < (
        SELECT created_at, id FROM test_mode_intents WHERE id = ${after})`
      }
    ORDER BY i.created_at DESC, i.id DESC
    LIMIT ${limit}`.execute(db);
  return rows;
}
