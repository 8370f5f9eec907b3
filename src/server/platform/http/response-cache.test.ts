import { expect, it } from 'vitest';
import { createResponseCache } from './response-cache.ts';

const MIB = 2 ** 20;

/** A cache at a moment that does not pass; `made` lists the keys for which a response was made. */
function openCache() {
  const made: string[] = [];
  const now = new Date();
  const cached = createResponseCache({ now: () => now });
  const ask = (key: string, mebibytes: number) =>
    cached(key, async () => {
      made.push(key);
      return { data: 'x'.repeat(mebibytes * MIB) };
    });
  return { made, ask };
}

it('the cache keeps up to 32 MiB of responses and evicts the least recently used', async () => {
  const { made, ask } = openCache();
  for (const key of ['first', 'second', 'third']) await ask(key, 10);
  await ask('first', 10);
  expect(made).toEqual(['first', 'second', 'third']);

  await ask('fourth', 10);
  for (const key of ['first', 'third', 'fourth', 'second']) await ask(key, 10);
  expect(made.slice(3)).toEqual(['fourth', 'second']);
});

it('the cache shares an oversized response between concurrent callers, but does not keep it', async () => {
  const { made, ask } = openCache();
  await ask('small', 1);
  const [one, other] = await Promise.all([ask('large', 33), ask('large', 33)]);
  expect(one).toBe(other);
  expect(one.identity.length).toBeGreaterThan(33 * MIB);
  await ask('small', 1);
  expect(made).toEqual(['small', 'large']);
  await ask('large', 33);
  expect(made).toEqual(['small', 'large', 'large']);
});

it('the cache retries after a response that failed', async () => {
  const cached = createResponseCache({ now: () => new Date() });
  const failing = cached('key', () => Promise.reject(new Error('No database')));
  await expect(failing).rejects.toThrow('No database');
  expect((await cached('key', async () => ({ data: 1 }))).identity.toString()).toContain('1');
});
