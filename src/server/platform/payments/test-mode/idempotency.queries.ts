import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../../database/open-database.ts';

/** What is answered when the same idempotency key comes again. */
export interface RememberedAnswer {
  key: string;
  requestHash: Buffer;
  requestId: string;
  status: number;
  body: string;
}

export async function findAnswer(
  db: Database,
  input: { key: string },
): Promise<RememberedAnswer | undefined> {
  return db
    .selectFrom('test_mode_idempotency_keys')
    .select(['key', 'request_hash as requestHash', 'request_id as requestId', 'status', 'body'])
    .where('key', '=', input.key)
    .executeTakeFirst();
}

/** Keeps the answer of a request that changed nothing. False when the key was used meanwhile. */
export async function insertAnswer(
  db: Database,
  input: { answer: RememberedAnswer; now: Date },
): Promise<boolean> {
  return firstUseOfKey(async () => {
    await insertAnswerStatement(input.answer, input.now).execute(db);
    return true;
  });
}

/** For a change's own statement; `source` is empty or a FROM clause without which the answer is not kept. */
export function insertAnswerStatement(
  answer: RememberedAnswer,
  now: Date,
  source: RawBuilder<unknown> = sql``,
): RawBuilder<unknown> {
  return sql`
    INSERT INTO test_mode_idempotency_keys (key, request_hash, request_id, status, body, created_at)
    SELECT ${answer.key}::text, ${answer.requestHash}::bytea, ${answer.requestId}::text, ${answer.status}::integer,
      ${answer.body}::text, ${now}::timestamptz ${source}`;
}

/** False when `write` failed because its idempotency key exists: two requests came at once, and the other was first. */
export async function firstUseOfKey(write: () => Promise<boolean>): Promise<boolean> {
  try {
    return await write();
  } catch (error) {
    const taken =
      error instanceof Error &&
      'constraint' in error &&
      error.constraint === 'test_mode_idempotency_keys_pkey';
    if (taken) return false;
    throw error;
  }
}
