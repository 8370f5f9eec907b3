import type {
  ClaimOnCharge,
  Intent,
  Keys,
  RefundOfCharge,
  Store,
  StoredEvent,
  StoredResponse,
} from '@kedai/stripe-test-mode/store';
import { type RawBuilder, sql } from 'kysely';
import { type Database, firstRowOf, hasRow, rowsOf } from '../database/database.ts';
import { DatabaseUnavailable } from '../database/database-errors.ts';

/**
 * The test-mode provider's state in the shop's database (migration 0002), shared by all processes.
 *
 * Every change is one statement, hence one transaction: the change, its event and the response stored for its idempotency
 * key are written together or not at all, in one round trip.
 */
export const createTestModeStore = (db: Database): Store => ({
  findKeys: () => firstRowOf<Keys>(db)`SELECT ${keyColumns} FROM test_mode_account AS a`,
  insertKeys: async (keys, now) => {
    await sql`${insertion('test_mode_account', { ...keys, createdAt: now })} ON CONFLICT DO NOTHING`.execute(db);
  },

  findIntent: (id, key) => findIntent(db, id, key),
  listIntents: ({ createdSince, after, limit }) => {
    const recent = unless(createdSince, sql`i.created_at >= ${createdSince}`);
    const older = sql`(i.created_at, i.id) < (SELECT created_at, id FROM test_mode_intents WHERE id = ${after})`;
    return rowsOf<Intent>(db)`
      SELECT ${intentColumns} FROM test_mode_intents i WHERE ${recent} AND ${unless(after, older)}
      ORDER BY i.created_at DESC, i.id DESC LIMIT ${limit}`;
  },
  insertIntent: ({ intent, response, now }) => {
    const stored = response ? sql`WITH stored AS (${storing(response, now)})` : nothing;
    const inserting = sql`${stored} ${insertion('test_mode_intents', intent)}`;
    return unlessKeyIsUsed(inserting.execute(db));
  },
  saveIntent: (change) => unlessKeyIsUsed(saveIntent(db, change)),

  findRefund: async (id) => (await listRefunds(db, sql`r.id = ${id}`, 1))[0],
  listRefunds: ({ intentId, createdSince, after, limit }) => {
    const ofIntent = unless(intentId, sql`r.intent_id = ${intentId}`);
    const recent = unless(createdSince, sql`r.created_at >= ${createdSince}`);
    return listRefunds(db, sql`${ofIntent} AND ${recent} AND ${unless(after, sql`r.id < ${after}`)}`, limit);
  },

  insertClaim: ({ claim, events, now }) => hasRow(db)`
    WITH changed AS (
      ${insertion('test_mode_claims', claim)} ON CONFLICT (intent_id, kind) DO NOTHING RETURNING id AS changed_id)
      ${announcing(events, now)}
    SELECT FROM changed`,
  findClaim: async (id) => (await listClaims(db, sql`c.id = ${id}`, 1))[0],
  listClaims: ({ kind, intentId, createdSince, after, limit }) => {
    const ofIntent = unless(intentId, sql`c.intent_id = ${intentId}`);
    const recent = unless(createdSince, sql`c.created_at >= ${createdSince}`);
    const older = unless(after, sql`c.id < ${after}`);
    return listClaims(db, sql`c.kind = ${kind} AND ${ofIntent} AND ${recent} AND ${older}`, limit);
  },
  saveDispute: ({ dispute: { id, status, caseType }, from, events, now }) => hasRow(db)`
    WITH changed AS (
      UPDATE test_mode_claims SET status = ${status}, case_type = ${caseType} WHERE id = ${id} AND status = ${from}
      RETURNING id AS changed_id)
      ${announcing(events, now)}
    SELECT FROM changed`,

  findResponse: (key) => firstRowOf<StoredResponse>(db)`
    SELECT ${responseColumns} FROM test_mode_idempotency_keys k WHERE key = ${key}`,
  insertResponse: (response, now) => unlessKeyIsUsed(storing(response, now).execute(db)),

  takeDueEvents: ({ now, until, limit }) => rowsOf<StoredEvent>(db)`
    UPDATE test_mode_events AS e SET next_attempt_at = ${until}
    WHERE id IN (SELECT id FROM test_mode_events WHERE next_attempt_at <= ${now}
      ORDER BY next_attempt_at LIMIT ${limit} FOR UPDATE SKIP LOCKED)
    RETURNING ${eventColumns}`,
  postponeEvent: async ({ id, attempts, nextAttemptAt }) => {
    await sql`
      UPDATE test_mode_events SET attempts = ${attempts}, next_attempt_at = ${nextAttemptAt}
      WHERE id = ${id}`.execute(db);
  },
  deleteEvents: async (ids) => {
    await sql`DELETE FROM test_mode_events WHERE id = ANY(${ids})`.execute(db);
  },

  isUnavailable: (error) => error instanceof DatabaseUnavailable,
});

/** Columns under the package's names; named, so that prepared statements stay valid when a migration adds one. */
const columnsOf = (alias: string, names: string) =>
  sql.raw(
    names
      .split(' ')
      .map((name) => `${alias}.${name} AS "${name.replace(/_(\w)/g, (_, letter) => letter.toUpperCase())}"`)
      .join(', '),
  );
const keyColumns = columnsOf('a', 'publishable_key secret_key webhook_secret');
const intentColumns = columnsOf(
  'i',
  'id client_secret status version amount_cents captured_cents refunded_cents currency metadata receipt_email ' +
    'payment_method_id card_brand card_last4 charge_id last_error capture_before canceled_at cancellation_reason created_at',
);
const refundColumns = columnsOf('r', 'id intent_id amount_cents status failure_reason reason metadata created_at');
const claimColumns = columnsOf('c', 'id intent_id kind status case_type amount_cents created_at');
const responseColumns = columnsOf('k', 'key request_hash request_id status body');
const eventColumns = columnsOf('e', 'id type payload attempts next_attempt_at');

const nothing = sql``;
const unless = (value: unknown, condition: RawBuilder<unknown>) => (value === undefined ? sql`true` : condition);

/** A name of the package as a column: `amountCents` is `amount_cents`. */
const columnOf = (name: string) => sql.ref(name.replace(/[A-Z]/g, '_$&').toLowerCase());

/** The columns of one of the package's objects, and its values as parameters, whose types are those of the columns. */
const rowFrom = (object: object) => ({
  columns: sql.join(Object.keys(object).map(columnOf)),
  values: sql.join(Object.values(object)),
});

/**
 * Inserts an object into its table. `source` is empty, or a FROM clause; if that returns no row, nothing is written.
 */
function insertion(table: string, object: object, source = nothing) {
  const { columns, values } = rowFrom(object);
  return sql`INSERT INTO ${sql.table(table)} (${columns}) SELECT ${values} ${source}`;
}

const storing = (response: StoredResponse, createdAt: Date, source = nothing) =>
  insertion('test_mode_idempotency_keys', { ...response, createdAt }, source);

/** Further common table expressions of a statement, which insert its events if it has `changed` something. */
const announcing = (events: StoredEvent[], createdAt: Date) =>
  sql.join(
    events.map((event, n) => {
      const name = sql.ref(`announced_${n}`);
      return sql`, ${name} AS (${insertion('test_mode_events', { ...event, createdAt }, ifChanged)})`;
    }),
    nothing,
  );

/** Finds the intent and the response stored for an idempotency key in one round trip. */
async function findIntent(db: Database, id: string, key: string | undefined) {
  const row = await firstRowOf<Intent & { response: Omit<StoredResponse, 'requestHash'> & { hash: string } }>(db)`
    SELECT ${intentColumns}, CASE WHEN k.key IS NOT NULL THEN json_build_object('key', k.key,
      'hash', encode(k.request_hash, 'hex'), 'requestId', k.request_id, 'status', k.status, 'body', k.body) END AS response
    FROM test_mode_intents i
    LEFT JOIN test_mode_idempotency_keys k ON k.key = ${key ?? null}
    WHERE i.id = ${id}`;
  if (!row) return undefined;
  const { response, ...intent } = row;
  return { intent, response: response ? { ...response, requestHash: Buffer.from(response.hash, 'hex') } : undefined };
}

const ifChanged = sql`FROM changed`;
const orEnded = sql`
  ON CONFLICT (id) DO UPDATE SET status = EXCLUDED.status, failure_reason = EXCLUDED.failure_reason`;

function saveIntent(db: Database, change: Parameters<Store['saveIntent']>[0]): Promise<boolean> {
  const { intent, events, refund, response, now } = change;
  const { columns, values } = rowFrom({ ...intent, version: intent.version + 1 });
  return hasRow(db)`
    WITH changed AS (
      UPDATE test_mode_intents AS i SET (${columns}) = ROW (${values})
      WHERE i.id = ${intent.id} AND i.version = ${intent.version} RETURNING i.id AS changed_id)
    ${announcing(events, now)}
    ${refund ? sql`, refunded AS (${insertion('test_mode_refunds', refund, ifChanged)} ${orEnded})` : nothing}
    ${response ? sql`, stored AS (${storing(response, now, ifChanged)})` : nothing}
    SELECT FROM changed`;
}

/** Resolves to false when a request with the same idempotency key was stored first, or `written` resolves to false. */
async function unlessKeyIsUsed(written: Promise<unknown>): Promise<boolean> {
  try {
    return (await written) !== false;
  } catch (error) {
    const isUsed =
      error instanceof Error && 'constraint' in error && error.constraint === 'test_mode_idempotency_keys_pkey';
    if (isUsed) return false;
    throw error;
  }
}

// Ids of refunds grow with time.
const listRefunds = (db: Database, condition: RawBuilder<unknown>, limit: number) => rowsOf<RefundOfCharge>(db)`
  SELECT ${refundColumns}, i.charge_id AS "chargeId", i.currency, i.captured_cents AS "capturedCents"
  FROM test_mode_refunds r JOIN test_mode_intents i ON i.id = r.intent_id
  WHERE ${condition} ORDER BY r.id DESC LIMIT ${limit}`;

const listClaims = (db: Database, condition: RawBuilder<unknown>, limit: number) => rowsOf<ClaimOnCharge>(db)`
  SELECT ${claimColumns}, i.charge_id AS "chargeId", i.currency, i.captured_cents AS "capturedCents"
  FROM test_mode_claims c JOIN test_mode_intents i ON i.id = c.intent_id
  WHERE ${condition} ORDER BY c.id DESC LIMIT ${limit}`;
