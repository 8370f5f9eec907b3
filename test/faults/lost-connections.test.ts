import { sql } from 'kysely';
import { describe, expect, it, vi } from 'vitest';
import type { Answer } from '../shopper.ts';
import { FAULT_TEST_LIMIT, type FaultWorld, openFaultWorld } from './fault-world.ts';
import { newPurchase } from './purchase.ts';

// The long form: KILL_ROUNDS=15 KILL_PAUSE_MS=2000 LONGEST_WAIT_MS=5000 npx vitest run test/faults/lost-connections
const ROUNDS = Number(process.env['KILL_ROUNDS'] ?? 6);
const PAUSE_MS = Number(process.env['KILL_PAUSE_MS'] ?? 0);
// Generous, for a machine that is busy with other tests. A statement on a lost connection would wait 17 s.
const LONGEST_WAIT_MS = Number(process.env['LONGEST_WAIT_MS'] ?? 15_000);
const BUYERS = 8;
const AFTER_EVERY_HOLD_MS = 17 * 60_000;

describe('a shop whose database connections are all cut off, again and again', FAULT_TEST_LIMIT, () => {
  it('keeps running, answers 503 at once, and sells each buyer what they pay for', async () => {
    await using world = await openFaultWorld();
    const shop = await world.start();
    await terminateConnections(world);

    const waits: number[] = [];
    const refusals: Answer[] = [];
    let sold = 0;
    let over = false;
    const buyers = Promise.all(
      Array.from({ length: BUYERS }, async () => {
        while (!over) {
          await buyPatiently(world, shop.url, { waits, refusals });
          sold += 1;
        }
      }),
    );

    let terminated = 0;
    for (let round = 0; round < ROUNDS; round += 1) {
      const soldBefore = sold;
      if (PAUSE_MS > 0) await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      const sells = () => expect(sold).toBeGreaterThan(soldBefore);
      // The buyers end before the test does only when one of them fails.
      await Promise.race([buyers, vi.waitFor(sells, { timeout: 60_000, interval: 5 })]);
      terminated += await terminateConnections(world);
    }
    over = true;
    await buyers;

    expect(terminated).toBeGreaterThanOrEqual(ROUNDS);
    const right = refusals.filter(({ status, headers }) => status === 503 && headers.has('retry-after'));
    expect(refusals.filter((refusal) => !right.includes(refusal))).toEqual([]);
    const longest = Math.max(...waits);
    expect(longest).toBeLessThan(LONGEST_WAIT_MS);
    await shop.pass(AFTER_EVERY_HOLD_MS);
    await world.rest(AFTER_EVERY_HOLD_MS);
    await expectMailsSent(world);
    expect(await world.violations()).toEqual([]);
    process.stdout.write(
      `${sold} sold, ${terminated} connections cut off, ${refusals.length} answers 503, longest wait ${longest} ms\n`,
    );
  });
});

/** A purchase whose calls are repeated for as long as the shop answers 503. */
async function buyPatiently(
  world: FaultWorld,
  url: string,
  seen: { waits: number[]; refusals: Answer[] },
): Promise<void> {
  // A call whose answer was lost may have left an order behind, which holds a unit until its time is up.
  const purchase = await newPurchase(world, url, 10);

  async function patiently(call: () => Promise<Answer>): Promise<Answer> {
    for (;;) {
      const started = performance.now();
      const answer = await call();
      seen.waits.push(Math.round(performance.now() - started));
      if (answer.status < 500) return answer;
      seen.refusals.push(answer);
    }
  }

  expect(await patiently(() => purchase.open())).toMatchObject({ status: 200 });
  await patiently(() => purchase.confirmCard());
  expect(await patiently(() => purchase.place())).toMatchObject({
    status: 201,
    body: { data: { _id: purchase.orderId } },
  });
}

/** Ends every connection of the shop, as a restart or a failover of the database does. Resolves to their number. */
async function terminateConnections({ db }: FaultWorld): Promise<number> {
  const { rows } = await sql`
    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND application_name IN ('kedai', 'kedai-jobs')`.execute(db);
  return rows.length;
}

/** The job queue, too, goes on. */
async function expectMailsSent({ db }: FaultWorld): Promise<void> {
  await vi.waitFor(
    async () => {
      const waiting = db.selectFrom('mails').select('id').where('sent_at', 'is', null);
      expect(await waiting.execute()).toEqual([]);
    },
    { timeout: 60_000, interval: 50 },
  );
}
