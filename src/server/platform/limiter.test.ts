import { expect, test } from 'vitest';
import { createKeyedLimiter, createLimiter } from './limiter.ts';

/** Starts a limiter with one running piece of work. All other work waits until `letGo` ends that one. */
function busyLimiter(maxWaiting: number, reserved: number) {
  const limited = createLimiter(1, maxWaiting, reserved);
  const { promise, resolve: letGo } = Promise.withResolvers<void>();
  const done: string[] = [];
  const running = limited(() => promise);
  const ask = (name: string, holder?: string) => limited(async () => void done.push(name), holder);
  return { ask, done, letGo: () => Promise.all([letGo(), running]) };
}

const busy = { code: 'BUSY' };

test('calls without a holder cannot take reserved places, and calls with a holder run first', async () => {
  const { ask, done, letGo } = busyLimiter(2, 2);
  const asked = [ask('first'), ask('second')];
  await expect(ask('third')).rejects.toMatchObject(busy);
  asked.push(ask('buyer', 'order 1'), ask('member', 'user 1'));
  await letGo();
  await Promise.all(asked);
  expect(done).toEqual(['buyer', 'member', 'first', 'second']);
});

test('a holder has at most two reserved places; further calls wait in the common queue', async () => {
  const { ask, done, letGo } = busyLimiter(1, 3);
  const asked = [ask('one', 'a'), ask('two', 'a'), ask('three', 'a')];
  await expect(ask('four', 'a')).rejects.toMatchObject(busy);
  asked.push(ask('other', 'b'));
  await letGo();
  await Promise.all(asked);
  expect(done).toEqual(['one', 'two', 'other', 'three']);
});

test('a holder without a free reserved place waits in the common queue, or is rejected', async () => {
  const { ask, done, letGo } = busyLimiter(1, 1);
  const asked = [ask('reserved', 'a'), ask('common', 'b')];
  await expect(ask('rejected', 'c')).rejects.toMatchObject(busy);
  await letGo();
  await Promise.all(asked);
  expect(done).toEqual(['reserved', 'common']);
});

test('of four calls, one without a holder runs, however many holders wait', async () => {
  const { ask, done, letGo } = busyLimiter(2, 8);
  const asked = [ask('first'), ask('second')];
  for (const name of ['a', 'b', 'c', 'd', 'e']) asked.push(ask(name, name));
  await letGo();
  await Promise.all(asked);
  expect(done).toEqual(['a', 'b', 'c', 'first', 'd', 'e', 'second']);
});

test('any number of holders run while nobody else waits', async () => {
  const { ask, done, letGo } = busyLimiter(0, 5);
  const names = ['a', 'b', 'c', 'd', 'e'];
  const asked = names.map((name) => ask(name, name));
  await letGo();
  await Promise.all(asked);
  expect(done).toEqual(names);
});

test('a failed call frees its place', async () => {
  const limited = createLimiter(1, 0);
  await expect(limited(() => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  expect(await limited(async () => 'done')).toBe('done');
});

test('work of one key waits only for work of the same key', async () => {
  const limited = createKeyedLimiter(1, 1);
  const { promise, resolve: letGo } = Promise.withResolvers<void>();
  const running = limited('a', () => promise);
  const waiting = limited('a', async () => 'waited');
  await expect(limited('a', async () => 'never')).rejects.toMatchObject(busy);
  expect(await limited('b', async () => 'at once')).toBe('at once');
  letGo();
  await running;
  expect(await waiting).toBe('waited');
  expect(await limited('a', async () => 'free again')).toBe('free again');
});
