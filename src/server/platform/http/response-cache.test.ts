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

it('keeps responses of 32 MiB in all, and drops what was asked for least recently', async () => {
  const { made, ask } = openCache();
  for (const key of ['first', 'second', 'third']) await ask(key, 10);
  await ask('first', 10);
  expect(made).toEqual(['first', 'second', 'third']);

  await ask('fourth', 10);
  for (const key of ['first', 'third', 'fourth', 'second']) await ask(key, 10);
  expect(made.slice(3)).toEqual(['fourth', 'second']);
});

it('gives a response that is too large to everybody who waits for it, and does not keep it', async () => {
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

it('makes a response again after one that failed', async () => {
  const cached = createResponseCache({ now: () => new Date() });
  const failing = cached('key', () => Promise.reject(new Error('No database')));
  await expect(failing).rejects.toThrow('No database');
  expect((await cached('key', async () => ({ data: 1 }))).identity.toString()).toContain('1');
});
