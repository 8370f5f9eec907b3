import { expect, test } from 'vitest';
import { createLog } from '../log.ts';
import { createReadiness } from './health.ts';

function readinessOf(checks: Record<string, () => Promise<boolean>>) {
  const lines: { level: number; msg: string; check?: string }[] = [];
  const log = createLog({ write: (line) => lines.push(JSON.parse(line)) });
  return { readiness: createReadiness({ checks, log, checkLimitMs: 50 }), lines };
}

test('the readiness names and logs the first check that answers false, throws or times out, and logs no success', async () => {
  const right = async () => true;
  const failing = [
    async () => false,
    async () => Promise.reject(new Error('connection refused')),
    () => new Promise<boolean>(() => undefined),
  ];
  for (const check of failing) {
    const { readiness, lines } = readinessOf({ first: right, second: check, third: check });
    expect(await readiness.findFailed()).toBe('second');
    expect(lines.filter(({ level }) => level === 40)).toMatchObject([{ msg: 'not ready', check: 'second' }]);
  }
  const { readiness, lines } = readinessOf({ first: right });
  expect(await readiness.findFailed()).toBeUndefined();
  expect(lines).toEqual([]);
});

test('the readiness runs its checks once for many concurrent probes', async () => {
  let runs = 0;
  const { readiness } = readinessOf({
    database: async () => {
      runs += 1;
      return true;
    },
  });
  await Promise.all(Array.from({ length: 100 }, () => readiness.findFailed()));
  await readiness.findFailed();
  expect(runs).toBe(1);
});

test('the readiness fails while draining, without running a check', async () => {
  const { readiness } = readinessOf({ database: () => Promise.reject(new Error('asked while draining')) });
  readiness.startDraining();
  expect(await readiness.findFailed()).toBe('draining');
});
