import { expect, it } from 'vitest';
import { openTestShop } from '../../test/test-shop.ts';
import { startBackgroundWork } from './background-work.ts';
import { noTracing } from './platform/tracing/tracing.ts';

const shop = await openTestShop();

it('the first run of each loop starts when the previous loop has finished, or after one second', async () => {
  const runs: { name: string; startedAt: number; endedAt: number }[] = [];
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
  const first = runs.filter(({ name }, n) => runs.findIndex((run) => run.name === name) === n);
  expect(first.map(({ name }) => name).slice(0, 3)).toEqual([
    'loop sweep',
    'loop issue receipts',
    'loop tell the owner',
  ]);
  expect(first).toHaveLength(10);
  for (const [n, { name, startedAt }] of first.slice(1).entries()) {
    const before = first[n];
    const mayStartAt = Math.min(before?.endedAt ?? 0, (before?.startedAt ?? 0) + 1_000);
    // Timers may fire up to a millisecond early.
    expect({ name, isEarly: startedAt < mayStartAt - 1 }).toEqual({ name, isEarly: false });
  }
});
