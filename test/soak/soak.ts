// npm run soak: is everything still right after minutes of everything going wrong?
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { sql } from 'kysely';
import { type Fault, faults } from './faults.ts';
import {
  administer,
  browse,
  buyAsGuest,
  type Diary,
  newDiary,
  type SeenPurchase,
  sendForgedWebhook,
  signInAndLook,
} from './shoppers.ts';
import { openSoakWorld, type SoakWorld } from './soak-world.ts';

const MINUTES = Number(process.env['SOAK_MINUTES'] ?? 10);
/** Part of a fault's name, to have only such ones. */
const ONLY = process.env['SOAK_FAULT'] ?? '';
const FAULT_EVERY_MS = 20_000;
const REST_LIMIT_MS = 180_000;
const BUYERS = 6;

const began = Date.now();
const diary = newDiary();
const say = (line: string) => console.log(`${((Date.now() - began) / 1_000).toFixed(0).padStart(4)} s  ${line}`);
const world = await openSoakWorld((what) => diary.problems.push(what));
let isOver = false;
try {
  say('Two processes sell.');
  const load = [
    ...Array.from({ length: BUYERS }, () => repeat(() => buyAsGuest(world, diary))),
    repeat(() => browse(world, diary)),
    repeat(() => signInAndLook(world, diary)),
    repeat(() => administer(world, diary)),
    repeat(async () => {
      await sendForgedWebhook(world, diary);
      await wait(1_000);
    }),
  ];
  const chosen = faults.filter(({ name }) => name.includes(ONLY));
  const end = Date.now() + MINUTES * 60_000;
  for (let n = 0; Date.now() < end; n += 1) {
    const next = Date.now() + FAULT_EVERY_MS;
    await happen(chosen[n % chosen.length] as Fault);
    await wait(Math.max(0, Math.min(next, end) - Date.now()));
  }
  isOver = true;
  await Promise.all(load);
  say('The load is over; waiting until every paid order is finished.');
  await rest(world);
  await addUp(world, diary);
  await verify(world, diary);
} finally {
  isOver = true;
  await world.close();
}
for (const problem of new Set(diary.problems)) console.log(`PROBLEM ${problem}`);
console.log(diary.problems.length === 0 ? 'Everything adds up.' : `${diary.problems.length} problems.`);
process.exitCode = diary.problems.length === 0 ? 0 : 1;

async function repeat(visit: () => Promise<void>): Promise<void> {
  while (!isOver) {
    await visit().catch((error: unknown) => diary.problems.push(`a visit failed: ${error}`));
    await wait(50);
  }
}

async function happen({ name, happen: begin }: Fault): Promise<void> {
  say(`${name} (${diary.purchases.length} purchases so far)`);
  await begin(world, diary).catch((error: unknown) => diary.problems.push(`${name}: ${error}`));
}

/** Until nobody who has paid waits for an outcome. */
async function rest({ db }: SoakWorld): Promise<void> {
  const end = Date.now() + REST_LIMIT_MS;
  for (;;) {
    const { rows } = await sql<{ n: number }>`
      SELECT count(*)::integer AS n FROM orders LEFT JOIN test_mode_intents ON test_mode_intents.id = payment_intent_id
      WHERE state IN ('capturing', 'refunding') OR (state = 'pending' AND status IN ('requires_capture', 'succeeded'))
        OR EXISTS (SELECT FROM refunds WHERE order_id = orders.id AND refunds.state <> 'done')`.execute(db);
    if (rows[0]?.n === 0) return;
    if (Date.now() > end) {
      diary.problems.push(`${rows[0]?.n} paid orders have no outcome after ${REST_LIMIT_MS / 1_000} s`);
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

/** Every purchase in exactly one outcome, by the books; and what its buyer was told holds. */
async function addUp({ db }: SoakWorld, { purchases, problems }: Diary): Promise<void> {
  const { rows } = await sql<Written>`
    SELECT id, contact_email AS email, state, refunded_cents AS refunded FROM orders`.execute(db);
  const outcomes = new Map<string, number>();
  for (const purchase of purchases) {
    const written = rows.filter(({ email }) => email === purchase.email);
    const paid = written.filter(({ state }) => state !== 'pending' && state !== 'cancelled');
    if (paid.length > 1) problems.push(`${purchase.email} paid for ${paid.length} orders`);
    if (purchase.acknowledged && paid.length === 0) problems.push(`I7 ${purchase.email} was told of a delivery`);
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
  console.table({
    ...Object.fromEntries([...outcomes].sort()),
    'sum of outcomes': sum,
    'purchases started': purchases.length,
  });
  console.log(
    `${rows.length} orders written, ${keys.length} keys read, the slowest answer took ${diary.slowestMs} ms.`,
  );
  console.log('Answers:', Object.fromEntries([...diary.answers].sort()));
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

/** In a process of its own, while this one goes on passing on what the database says. */
async function verify({ env }: SoakWorld, { problems }: Diary): Promise<void> {
  say('npm run verify');
  const child = spawn(process.execPath, ['scripts/commands/verify.ts'], { stdio: 'inherit', env });
  const [status] = await once(child, 'exit');
  if (status !== 0) problems.push('npm run verify found something');
}
