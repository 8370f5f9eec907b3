import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { FAULT_TEST_LIMIT, type FaultWorld, openFaultWorld } from './fault-world.ts';
import { startPatientBuyers, waitForMail } from './patient-buyers.ts';

// The long form: KILL_ROUNDS=15 KILL_PAUSE_MS=2000 LONGEST_WAIT_MS=5000 npx vitest run test/faults/lost-connections
const ROUNDS = Number(process.env['KILL_ROUNDS'] ?? 6);
const PAUSE_MS = Number(process.env['KILL_PAUSE_MS'] ?? 0);
// Generous, for a machine that is busy with other tests. A statement on a lost connection would wait 17 s.
const LONGEST_WAIT_MS = Number(process.env['LONGEST_WAIT_MS'] ?? 15_000);
const BUYERS = 8;
const AFTER_EVERY_HOLD_MS = 17 * 60_000;

describe('a shop whose database connections are repeatedly terminated', FAULT_TEST_LIMIT, () => {
  it('keeps running, answers 503 without a long wait, and delivers every paid order', async () => {
    await using world = await openFaultWorld();
    const shop = await world.start();
    await terminateConnections(world);

    const buyers = startPatientBuyers(world, shop.url, BUYERS);
    let terminated = 0;
    for (let round = 0; round < ROUNDS; round += 1) {
      const soldBefore = buyers.sold.length;
      if (PAUSE_MS > 0) await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      await buyers.until(() => expect(buyers.sold.length).toBeGreaterThan(soldBefore));
      terminated += await terminateConnections(world);
    }
    await buyers.stop();

    expect(terminated).toBeGreaterThanOrEqual(ROUNDS);
    expect(buyers.longestWaitMs).toBeLessThan(LONGEST_WAIT_MS);
    await waitForMail(world, buyers.sold.at(-1) ?? '');
    await shop.pass(AFTER_EVERY_HOLD_MS);
    await world.rest(AFTER_EVERY_HOLD_MS);
    expect(await world.violations()).toEqual([]);
    process.stdout.write(
      `${buyers.sold.length} sold, ${terminated} connections cut off, ${buyers.refused} answers 503, longest wait ${buyers.longestWaitMs} ms\n`,
    );
  });
});

/** Ends every connection of the shop, as a restart or a failover of the database does. Returns their number. */
async function terminateConnections({ db }: FaultWorld): Promise<number> {
  const { rows } = await sql`
    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND application_name IN ('kedai', 'kedai-jobs')`.execute(db);
  return rows.length;
}
