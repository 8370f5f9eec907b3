import { type RawBuilder, sql } from 'kysely';
import { expect, it } from 'vitest';
import { makeProduct } from '../../test/factories.ts';
import { openTestShop } from '../../test/test-shop.ts';
import { MINUTE_MS } from '../shared/durations.ts';
import { startBackgroundWork } from './background-work.ts';
import { startIfDue } from './platform/database/database.ts';
import { noTracing } from './platform/tracing/tracing.ts';

const shop = await openTestShop();

interface Run {
  name: string;
  startedAt: number;
  endedAt: number;
}

/** Starts a process's background work, and stops it when each loop has run once. */
async function runLoops(): Promise<Run[]> {
  const runs: Run[] = [];
  const background = await new Promise<{ stop(): Promise<unknown> }>((resolve) => {
    const started = startBackgroundWork(shop.deps, {
      ...noTracing,
      inSpan: async ({ name }, work) => {
        const run = { name, startedAt: performance.now(), endedAt: Number.POSITIVE_INFINITY };
        runs.push(run);
        try {
          return await work();
        } finally {
          run.endedAt = performance.now();
          if (name === 'loop remove unused pictures') resolve(started);
        }
      },
    });
  });
  await background.stop();
  return runs;
}

it('the first run of each loop starts when the previous loop has finished, or after one second', async () => {
  const runs = await runLoops();
  const first = runs.filter(({ name }, n) => runs.findIndex((run) => run.name === name) === n);
  expect(first.map(({ name }) => name).slice(0, 3)).toEqual([
    'loop sweep',
    'loop issue receipts',
    'loop tell the owner',
  ]);
  expect(first).toHaveLength(12);
  for (const [n, { name, startedAt }] of first.slice(1).entries()) {
    const before = first[n];
    const mayStartAt = Math.min(before?.endedAt ?? 0, (before?.startedAt ?? 0) + 1_000);
    // Timers may fire up to a millisecond early.
    expect({ name, isEarly: startedAt < mayStartAt - 1 }).toEqual({ name, isEarly: false });
  }
});

it('sales are counted once in five minutes, however many processes run or are started', async () => {
  const { db } = shop.deps;
  const { id } = await makeProduct(shop.deps);
  const miscount = () => db.updateTable('products').set({ sold_count: 7 }).where('id', '=', id).execute();
  const count = () => db.selectFrom('products').select('sold_count').where('id', '=', id).executeTakeFirst();
  const setLastRun = (sql: RawBuilder<Date>) => db.updateTable('background_work').set({ started_at: sql }).execute();
  await runLoops();
  await miscount();
  await runLoops();
  expect(await count()).toEqual({ sold_count: 7 });

  await setLastRun(sql<Date>`now() - interval '5 minutes'`);
  await runLoops();
  expect(await count()).toEqual({ sold_count: 0 });

  // The clock of the database was set back.
  await miscount();
  await setLastRun(sql<Date>`now() + interval '1 hour'`);
  await runLoops();
  expect(await count()).toEqual({ sold_count: 0 });
});

it('work that several processes want to start at once is started by one of them', async () => {
  const starts = await Promise.all(Array.from({ length: 5 }, () => startIfDue(shop.deps.db, 'audit', MINUTE_MS)));
  expect(starts.filter(Boolean)).toHaveLength(1);
});
