import { describe, expect, it } from 'vitest';
import type { DatabaseLimits } from '../../src/server/platform/database/connections.ts';
import { startSilentDatabaseProxy } from '../silent-proxy.ts';
import { FAULT_TEST_LIMIT, openFaultWorld } from './fault-world.ts';
import { startPatientBuyers, waitForMail } from './patient-buyers.ts';

// The long form, with the limits of a real shop:
// SILENT_MS=30000 SILENT_BUYERS=60 npx vitest run test/faults/silent-database
const SILENT_MS = Number(process.env['SILENT_MS'] ?? 0);
const BUYERS = Number(process.env['SILENT_BUYERS'] ?? 12);
const RECOVERY_MS = 25_000;
const AFTER_EVERY_HOLD_MS = 17 * 60_000;
const shortLimits: DatabaseLimits = { connectMs: 1_500, waitMs: 2_000, statementMs: 2_500, answerMs: 3_000 };

describe('a shop whose database stops answering without closing a connection', FAULT_TEST_LIMIT, () => {
  it('answers 503, and resumes sales and mail soon after the database is back', async () => {
    await using world = await openFaultWorld();
    await using proxy = await startSilentDatabaseProxy(world.databaseUrl);
    const limits = SILENT_MS === 0 ? { DATABASE_LIMITS: JSON.stringify(shortLimits) } : {};
    const shop = await world.start({ settings: { DATABASE_URL: proxy.connectionString, ...limits } });
    const buyers = startPatientBuyers(world, shop.url, BUYERS);
    await buyers.until(() => expect(buyers.sold.length).toBeGreaterThanOrEqual(BUYERS));

    proxy.fallSilent();
    const refusedBefore = buyers.refused;
    if (SILENT_MS > 0) await new Promise((resolve) => setTimeout(resolve, SILENT_MS));
    await buyers.until(() => expect(buyers.refused).toBeGreaterThanOrEqual(refusedBefore + BUYERS));

    proxy.recover();
    const recovered = performance.now();
    const soldBefore = buyers.sold.length;
    await buyers.until(() => expect(buyers.sold.length).toBeGreaterThan(soldBefore), RECOVERY_MS);
    const sellingMs = Math.round(performance.now() - recovered);
    const firstSold = buyers.sold[soldBefore] ?? '';
    await buyers.stop();
    await waitForMail(world, firstSold);
    const mailMs = Math.round(performance.now() - recovered);

    await shop.pass(AFTER_EVERY_HOLD_MS);
    await world.rest(AFTER_EVERY_HOLD_MS);
    expect(await world.violations()).toEqual([]);
    process.stdout.write(
      `${buyers.refused} answers 503, longest wait ${buyers.longestWaitMs} ms; after the silence selling in ${sellingMs} ms, mail in ${mailMs} ms\n`,
    );
  });
});
