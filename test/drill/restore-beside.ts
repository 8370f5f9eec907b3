import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Database } from '../../src/server/platform/database/database.ts';
import { openDatabase } from '../../src/server/platform/database/open-database.ts';
import { openProviderDesk } from '../faults/provider-desk.ts';
import { copyProvider } from '../provider-tables.ts';
import { rest, verify } from '../soak/outcomes.ts';
import { buyAsGuest, type Diary, newDiary } from '../soak/shoppers.ts';
import { openShop } from '../soak/supervised-shop.ts';
import { createDatabase, type DrillWorld } from './drill-world.ts';

const NAME = 'kedai_restored';
/** How long the shop sells after the backup was taken: these sales are lost. */
const LOST_MS = 10_000;
const BUYERS_AFTER = 20;

/**
 * Restores a backup into a second database of the cluster while the shop sells, as if the first database were lost at
 * that moment. What the provider knows by then must lead to every order and every item; nothing is sold twice.
 */
export async function restoreBeside(world: DrillWorld, { diary, say }: { diary: Diary; say: (line: string) => void }) {
  const { front, cluster, products } = world;
  const { problems } = diary;
  const file = join(cluster.folder, 'drill.backup');
  await command('backup', [file], { ...world.env, DATABASE_URL: front.direct('kedai') });
  say('  the backup is taken');
  await wait(LOST_MS);

  await createDatabase(front.direct('postgres'), NAME);
  const env = { ...world.env, DATABASE_URL: front.direct(NAME) };
  await command('restore', [file], env);
  await using opened = new AsyncDisposableStack();
  const db = openDatabase(front.direct(NAME), { maxConnections: 4 });
  opened.defer(() => db.destroy());
  const lost = await world.db
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute(async (trx) => {
      await copyProvider(trx, db);
      return listDelivered(trx);
    });
  say(`  it is restored; ${lost.length} units were delivered until the loss`);

  const shop = await openShop('restored', env, { dataDir: cluster.folder, onEnd: world.onEnd });
  opened.defer(() => shop.end('SIGKILL'));
  await shop.start();
  await rest(db, problems);
  await untilNoneIsHeldBack(db, problems);
  const report = await command('reconcile', [], env);
  for (const line of report.split('\n').filter((one) => /^\d/.test(one))) say(`    ${line}`);

  const restored = new Map((await listDelivered(db)).map(({ itemId, orderId }) => [itemId, orderId]));
  for (const { itemId, orderId } of lost) {
    const owner = restored.get(itemId);
    if (owner === undefined && !report.includes(orderId)) problems.push(`I7 order ${orderId} is not in the report`);
    if (owner !== undefined && owner !== orderId) problems.push(`I2 the restored shop gave ${itemId} to ${owner}`);
  }
  await refundMissing(db, shop.url);
  await verify(env, problems);

  await sellOn();

  async function sellOn(): Promise<void> {
    const list = join(cluster.folder, 'release.csv');
    writeFileSync(list, await command('restore-release', [], env));
    say(`    ${(await command('restore-release', [list], env)).trim()}`);
    await command('shop-closed', ['off', '--reason', 'The books are checked'], env);
    const after = newDiary();
    for (let n = 0; n < BUYERS_AFTER; n += 1) {
      await buyAsGuest({ shops: [shop], products }, after, { quantity: 1, kind: 'pays' });
    }
    problems.push(...after.problems);
    const sold = after.purchases.flatMap(({ keys }) => keys);
    if (sold.length !== BUYERS_AFTER) problems.push(`the restored shop sold ${sold.length} of ${BUYERS_AFTER} units`);
    const before = new Set(lost.map(({ itemId }) => itemId));
    for (const { itemId } of await listDelivered(db)) {
      if (!restored.has(itemId) && before.has(itemId)) problems.push(`I2 the restored shop sold ${itemId} again`);
    }
    await verify(env, problems);
  }
}

async function listDelivered(db: Database): Promise<{ itemId: string; orderId: string }[]> {
  const { rows } = await sql<{ itemId: string; orderId: string }>`
    SELECT items.id AS "itemId", order_id AS "orderId" FROM items JOIN order_lines ON order_lines.id = order_line_id
    WHERE items.state = 'sold'`.execute(db);
  return rows;
}

/** Refunds or cancels the payments of orders that are not in the backup, as the report tells a person to do. */
async function refundMissing(db: Database, url: string): Promise<void> {
  const desk = await openProviderDesk(db);
  const { rows } = await sql<{ id: string; status: string }>`
    SELECT id, status FROM test_mode_intents WHERE status IN ('succeeded', 'requires_capture')
      AND NOT EXISTS (SELECT FROM orders WHERE payment_intent_id = test_mode_intents.id)`.execute(db);
  for (const { id, status } of rows) await desk.act(url, status === 'succeeded' ? 'refund' : 'cancel', id);
}

/**
 * Waits until no order is held back: nothing was given back in the drill, so the shop releases all of them. How long
 * that takes depends on their number and on the machine; a minute without one released is a fault.
 */
async function untilNoneIsHeldBack(db: Database, problems: string[]): Promise<void> {
  let fewest = Number.POSITIVE_INFINITY;
  for (let end = 0; ; await wait(500)) {
    const { rows } = await sql`SELECT FROM order_freezes WHERE ended_at IS NULL`.execute(db);
    if (rows.length === 0) return;
    if (rows.length < fewest) [fewest, end] = [rows.length, Date.now() + 60_000];
    else if (Date.now() > end) return void problems.push(`${rows.length} orders are still held back`);
  }
}

async function command(name: string, args: string[], env: NodeJS.ProcessEnv): Promise<string> {
  const stdio = ['ignore', 'pipe', 'pipe'] as const;
  const child = spawn(process.execPath, [`scripts/commands/${name}.ts`, ...args], { stdio: [...stdio], env });
  const [output, errors, [status]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  if (status !== 0) throw new Error(`npm run ${name} ended with ${status}:\n${output}${errors}`);
  return output;
}
