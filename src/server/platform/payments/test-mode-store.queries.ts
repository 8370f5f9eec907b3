import type {
  Intent,
  Page,
  Refund,
  RefundOfCharge,
  Store,
  StoredEvent,
  StoredResponse,
} from '@kedai/stripe-test-mode/store';
import { type RawBuilder, sql } from 'kysely';
import { DatabaseUnavailable } from '../database/database-errors.ts';
import { asyncCommit, type Database } from '../database/open-database.ts';

/**
 * The test-mode provider's state in the shop's database (migration 0002), shared by all processes.
 *
 * Every change is one statement, hence one transaction: the change, its event and the response stored for its idempotency
 * key are written together or not at all, in one round trip. The commit does not wait for the disk: the shop's later commit,
 * which is based on the response, does wait, and writes this one to the disk as well. If both are lost, the shop repeats the
 * request, or asks for the card again.
 */
export const createTestModeStore = (db: Database): Store => ({
  findKeys: () =>
    db
      .selectFrom('test_mode_account')
      .select(['publishable_key as publishableKey', 'secret_key as secretKey', 'webhook_secret as webhookSecret'])
      .executeTakeFirst(),
  insertKeys: async ({ publishableKey, secretKey, webhookSecret }, now) => {
    await db
      .insertInto('test_mode_account')
      .values({
        publishable_key: publishableKey,
        secret_key: secretKey,
        webhook_secret: webhookSecret,
        created_at: now,
      })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  },

  findIntent: (id, key) => findIntent(db, id, key),
  listIntents: (page) => listIntents(db, page),
  insertIntent: (input) => insertIntent(db, input),
  saveIntent: (change) => saveIntent(db, change),

  findRefund: async (id) => (await listRefunds(db, sql`r.id = ${id}`, 1))[0],
  listRefunds: ({ intentId, createdSince, after, limit }) =>
    listRefunds(
      db,
      sql`${unless(intentId, sql`r.intent_id = ${intentId}`)}
          AND ${unless(createdSince, sql`r.created_at >= ${createdSince}`)} AND ${unless(after, sql`r.id < ${after}`)}`,
      limit,
    ),

  findResponse: (key) =>
    db
      .selectFrom('test_mode_idempotency_keys')
      .select(['key', 'request_hash as requestHash', 'request_id as requestId', 'status', 'body'])
      .where('key', '=', key)
      .executeTakeFirst(),
  insertResponse: (response, now) =>
    unlessKeyIsUsed(async () => {
      await responseStatement(response, now).execute(db);
      return true;
    }),

  insertEvent: async (event, now) => {
    await eventStatement(event, now).execute(db);
  },
  takeDueEvents: (input) => takeDueEvents(db, input),
  postponeEvent: async ({ id, attempts, nextAttemptAt }) => {
    await db
      .updateTable('test_mode_events')
      .set({ attempts, next_attempt_at: nextAttemptAt })
      .where('id', '=', id)
      .execute();
  },
  deleteEvents: async (ids) => {
    await db.deleteFrom('test_mode_events').where('id', '=', sql<string>`ANY(${ids})`).execute();
  },

  isUnavailable: (error) => error instanceof DatabaseUnavailable,
});

/** Columns under the package's names; listed, so that prepared statements stay valid when a newer process adds a column. */
const columnsOf = (alias: string, names: string) =>
  sql.raw(
    names
      .split(' ')
      .map((name) => `${alias}.${name} AS "${name.replace(/_(\w)/g, (_, letter) => letter.toUpperCase())}"`)
      .join(', '),
  );
const intentColumns = columnsOf(
  'i',
  'id client_secret status version amount_cents captured_cents refunded_cents currency metadata receipt_email ' +
    'payment_method_id card_brand card_last4 charge_id last_error capture_before canceled_at cancellation_reason created_at',
);
const refundColumns = columnsOf('r', 'id intent_id amount_cents reason metadata created_at');

const nothing = sql``;
const ifChanged = sql`FROM changed`;
const unless = (value: unknown, condition: RawBuilder<unknown>) => (value === undefined ? sql`true` : condition);

/** The intent and the stored response in one round trip. */
async function findIntent(db: Database, id: string, key: string | undefined) {
  const { rows } = await sql<Intent & { response: Omit<StoredResponse, 'requestHash'> & { hash: string } }>`
    SELECT ${intentColumns}, CASE WHEN k.key IS NOT NULL THEN json_build_object('key', k.key,
      'hash', encode(k.request_hash, 'hex'), 'requestId', k.request_id, 'status', k.status, 'body', k.body) END AS response
    FROM test_mode_intents i
    LEFT JOIN test_mode_idempotency_keys k ON k.key = ${key ?? null}
    WHERE i.id = ${id}`.execute(db);
  const [row] = rows;
  if (!row) return undefined;
  const { response, ...intent } = row;
  return { intent, response: response ? { ...response, requestHash: Buffer.from(response.hash, 'hex') } : undefined };
}

async function insertIntent(
  db: Database,
  { intent, response, now }: Parameters<Store['insertIntent']>[0],
): Promise<boolean> {
  const statement = sql`
    ${response ? sql`WITH stored AS (${responseStatement(response, now)})` : nothing}
    INSERT INTO test_mode_intents (id, client_secret, status, version, amount_cents, captured_cents, refunded_cents,
      currency, metadata, receipt_email, created_at)
    VALUES (${intent.id}, ${intent.clientSecret}, ${intent.status}, ${intent.version}, ${intent.amountCents},
      ${intent.capturedCents}, ${intent.refundedCents}, ${intent.currency}, ${JSON.stringify(intent.metadata)},
      ${intent.receiptEmail}, ${intent.createdAt})
    RETURNING ${asyncCommit}`;
  return unlessKeyIsUsed(async () => {
    await statement.execute(db);
    return true;
  });
}

async function saveIntent(
  db: Database,
  { intent, event, refund, response, now }: Parameters<Store['saveIntent']>[0],
): Promise<boolean> {
  const statement = sql`
    WITH changed AS (
      UPDATE test_mode_intents
      SET status = ${intent.status}, version = version + 1, captured_cents = ${intent.capturedCents},
        refunded_cents = ${intent.refundedCents}, payment_method_id = ${intent.paymentMethodId},
        card_brand = ${intent.cardBrand}, card_last4 = ${intent.cardLast4}, charge_id = ${intent.chargeId},
        last_error = ${intent.lastError && JSON.stringify(intent.lastError)},
        capture_before = ${intent.captureBefore}, canceled_at = ${intent.canceledAt},
        cancellation_reason = ${intent.cancellationReason}
      WHERE id = ${intent.id} AND version = ${intent.version}
      RETURNING id)
    ${event ? sql`, announced AS (${eventStatement(event, now, ifChanged)})` : nothing}
    ${refund ? sql`, refunded AS (${refundStatement(refund)})` : nothing}
    ${response ? sql`, stored AS (${responseStatement(response, now, ifChanged)})` : nothing}
    SELECT id, ${asyncCommit} FROM changed`;
  return unlessKeyIsUsed(async () => (await statement.execute(db)).rows.length === 1);
}

// Parts of a change's statement. `source` is empty, or a FROM clause without whose row nothing is written.

const refundStatement = (refund: Refund) => sql`
  INSERT INTO test_mode_refunds (id, intent_id, amount_cents, reason, metadata, created_at)
  SELECT ${refund.id}::text, ${refund.intentId}::text, ${refund.amountCents}::integer, ${refund.reason}::text,
    ${JSON.stringify(refund.metadata)}::jsonb, ${refund.createdAt}::timestamptz ${ifChanged}`;

const eventStatement = (event: StoredEvent, now: Date, source = nothing) => sql`
  INSERT INTO test_mode_events (id, type, payload, created_at, next_attempt_at)
  SELECT ${event.id}::text, ${event.type}::text, ${event.payload}::text, ${now}::timestamptz,
    ${event.nextAttemptAt}::timestamptz ${source}`;

const responseStatement = (response: StoredResponse, now: Date, source = nothing) => sql`
  INSERT INTO test_mode_idempotency_keys (key, request_hash, request_id, status, body, created_at)
  SELECT ${response.key}::text, ${response.requestHash}::bytea, ${response.requestId}::text, ${response.status}::integer,
    ${response.body}::text, ${now}::timestamptz ${source}`;

/** False when another request with the same idempotency key was stored first. */
async function unlessKeyIsUsed(write: () => Promise<boolean>): Promise<boolean> {
  try {
    return await write();
  } catch (error) {
    const isUsed =
      error instanceof Error && 'constraint' in error && error.constraint === 'test_mode_idempotency_keys_pkey';
    if (isUsed) return false;
    throw error;
  }
}

async function listIntents(db: Database, { createdSince, after, limit }: Page): Promise<Intent[]> {
  const older = sql`(i.created_at, i.id) < (SELECT created_at, id FROM test_mode_intents WHERE id = ${after})`;
  const { rows } = await sql<Intent>`
    SELECT ${intentColumns}
    FROM test_mode_intents i
    WHERE ${unless(createdSince, sql`i.created_at >= ${createdSince}`)} AND ${unless(after, older)}
    ORDER BY i.created_at DESC, i.id DESC
    LIMIT ${limit}`.execute(db);
  return rows;
}

async function listRefunds(db: Database, condition: RawBuilder<unknown>, limit: number) {
  // Ids of refunds grow with time.
  const { rows } = await sql<RefundOfCharge>`
    SELECT ${refundColumns}, i.charge_id AS "chargeId", i.currency
    FROM test_mode_refunds r JOIN test_mode_intents i ON i.id = r.intent_id
    WHERE ${condition} ORDER BY r.id DESC LIMIT ${limit}`.execute(db);
  return rows;
}

const takeDueEvents = (db: Database, { now, until, limit }: Parameters<Store['takeDueEvents']>[0]) =>
  db
    .updateTable('test_mode_events')
    .set({ next_attempt_at: until })
    .where('id', 'in', (events) =>
      events
        .selectFrom('test_mode_events')
        .select('id')
        .where('next_attempt_at', '<=', now)
        .orderBy('next_attempt_at')
        .limit(limit)
        .forUpdate()
        .skipLocked(),
    )
    .returning(['id', 'type', 'payload', 'attempts', 'next_attempt_at as nextAttemptAt'])
    .execute();
