import { expect, test } from 'vitest';
import { createPasswordHasher } from './password-hasher.ts';

const hasher = createPasswordHasher();

test('a hash matches only its own password', async () => {
  const hash = await hasher.hash('correct horse');
  expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  expect(await hasher.verify(hash, 'correct horse')).toBe(true);
  expect(await hasher.verify(hash, 'Correct horse')).toBe(false);
  expect(await hasher.verify(hash, '')).toBe(false);
});

test('the same password hashes differently each time', async () => {
  expect(await hasher.hash('correct horse')).not.toBe(await hasher.hash('correct horse'));
});

test('a password matches in another Unicode normalization form', async () => {
  const hash = await hasher.hash('caf\u00e9 １２３');
  expect(await hasher.verify(hash, 'cafe\u0301 123')).toBe(true);
});

test('an account without a password is refused after the work of a real check', async () => {
  const hash = await hasher.hash('correct horse');
  // Measures the processor time of this process, which other work on the machine does not affect.
  const workOf = async (target: string | null) => {
    const before = process.cpuUsage();
    expect(await hasher.verify(target, 'wrong horse')).toBe(false);
    const { user, system } = process.cpuUsage(before);
    return user + system;
  };
  // The minimum of several measurements, taken in turn, because other work of this process can only increase them.
  const work: Record<'without' | 'with', number[]> = { without: [], with: [] };
  for (let round = 0; round < 10; round++) {
    work.without.push(await workOf(null));
    work.with.push(await workOf(hash));
  }
  expect(Math.min(...work.without) / Math.min(...work.with)).toBeGreaterThan(0.5);
});

test('calls beyond a short queue are refused at once, and the queued ones are served', async () => {
  const results = await Promise.allSettled(Array.from({ length: 100 }, () => hasher.verify(null, 'x')));
  const refused = results.filter((result) => result.status === 'rejected');
  expect(refused).toHaveLength(100 - 2 - 64);
  expect(refused[0]?.reason).toMatchObject({ code: 'BUSY', message: 'Please wait a moment before trying again' });
  expect(await hasher.verify(null, 'x')).toBe(false);
});
