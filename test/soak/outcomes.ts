import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Database } from '../../src/server/platform/database/database.ts';
import type { Diary, SeenPurchase } from './shoppers.ts';

const REST_LIMIT_MS = 180_000;

/** Waits until no payment and no refund is unfinished. Adds a problem when that takes more than three minutes. */
export async function rest(db: Database, problems: string[]): Promise<void> {
  const end = Date.now() + REST_LIMIT_MS;
  for (;;) {
    const { rows } = await sql<{ n: number }>`
      SELECT count(*)::integer AS n FROM orders LEFT JOIN test_mode_intents ON test_mode_intents.id = payment_intent_id
      WHERE state IN ('capturing', 'refunding') OR (state = 'pending' AND status IN ('requires_capture', 'succeeded'))
        OR EXISTS (SELECT FROM refunds WHERE order_id = orders.id AND refunds.state <> 'done')`.execute(db);
    if (rows[0]?.n === 0) return;
    if (Date.now() > end) {
      problems.push(`${rows[0]?.n} paid orders have no outcome after ${REST_LIMIT_MS / 1_000} s`);
      return;
    }
    await wait(500);
  }
}

interface Written {
  id: string;
  email: string;
  state: string;
  refunded: number;
}

/**
 * Checks that every purchase has exactly one outcome in the books, and that what its buyer has read is true. Returns
 * the number of purchases by outcome.
 */
export async function addUp(db: Database, diary: Diary): Promise<Record<string, number>> {
  const { purchases, problems } = diary;
  const { rows } = await sql<Written>`
    SELECT id, contact_email AS email, state, refunded_cents AS refunded FROM orders`.execute(db);
  const outcomes = new Map<string, number>();
  for (const purchase of purchases) {
    const written = rows.filter(({ email }) => email === purchase.email);
    const paid = written.filter(({ state }) => state !== 'pending' && state !== 'cancelled');
    if (paid.length > 1) problems.push(`${purchase.email} paid for ${paid.length} orders`);
    if (purchase.acknowledgedAt !== undefined && paid.length === 0)
      problems.push(`I7 ${purchase.email} was told of a delivery`);
    const outcome = outcomeOf(purchase, paid[0], written.length);
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
  }
  const known = new Set(purchases.map(({ email }) => email));
  const strangers = rows.filter(({ email }) => !known.has(email));
  if (strangers.length > 0) problems.push(`${strangers.length} orders are of no purchase`);
  const keys = purchases.flatMap((purchase) => purchase.keys);
  if (new Set(keys).size !== keys.length) problems.push('I2 a key was shown to two buyers');

  const sum = [...outcomes.values()].reduce((total, count) => total + count, 0);
  if (sum !== purchases.length) problems.push(`${sum} outcomes of ${purchases.length} purchases`);
  return {
    ...Object.fromEntries([...outcomes].sort()),
    'sum of outcomes': sum,
    'purchases started': purchases.length,
    'orders written': rows.length,
    'keys read': keys.length,
  };
}

function outcomeOf(seen: SeenPurchase, paid: Written | undefined, orders: number): string {
  if (paid?.state === 'refunded') return 'refunded';
  if (paid?.state === 'fulfilled') return paid.refunded > 0 ? 'delivered, refunded in part' : 'delivered';
  if (paid) return `not finished: ${paid.state}`;
  if (seen.refused !== undefined)
    return orders === 0 ? `refused: ${seen.refused}` : 'written, and given up by its buyer';
  if (seen.declined) return 'declined';
  if (seen.kind === 'leaves') return 'left unpaid';
  return 'cancelled or given up before it was paid';
}

/**
 * Runs `npm run verify` in a process of its own, as this process still passes on the database's data; returns its
 * output.
 */
export async function verify(env: NodeJS.ProcessEnv, problems: string[]): Promise<string> {
  const child = spawn(process.execPath, ['scripts/commands/verify.ts'], { stdio: ['ignore', 'pipe', 'inherit'], env });
  const [output, [status]] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  if (status !== 0) problems.push(`npm run verify found something:\n${output}`);
  return output;
}
