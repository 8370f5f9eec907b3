import { sql } from 'kysely';
import { expect, onTestFinished, test, vi } from 'vitest';
import { openTestDatabase } from '../../../test/database.ts';
import { createLog } from './log.ts';

const { db } = await openTestDatabase();

function logged(write: (log: ReturnType<typeof createLog>) => void) {
  const lines: string[] = [];
  write(createLog({ write: (line) => lines.push(line) }));
  return { text: lines.join(''), line: JSON.parse(lines[0] ?? '{}') };
}

test('an error is logged with its causes and the id of its subject', () => {
  const cause = Object.assign(new Error('connection refused'), { code: 'ECONNREFUSED' });
  const { line } = logged((log) => log.error({ err: new Error('not delivered', { cause }), orderId: 'o1' }, 'failed'));
  expect(line).toMatchObject({
    level: 50,
    msg: 'failed',
    orderId: 'o1',
    err: { message: 'not delivered', stack: expect.any(String), cause: { code: 'ECONNREFUSED' } },
  });
});

test('a request is logged only with its id and method', () => {
  const req = { id: 'r1', method: 'POST', url: '/claim?token=secret', headers: { authorization: 'Bearer secret' } };
  const { line, text } = logged((log) => log.info({ req }, 'came in'));
  expect(line.req).toEqual({ id: 'r1', method: 'POST' });
  expect(text).not.toContain('secret');
});

test('a row that the database refused is not logged', async () => {
  const users = sql`INSERT INTO users (id, email, name, created_at) VALUES (gen_random_uuid(), 'Canary@7164', 'x', now())`;
  const refused = await users.execute(db).then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(refused).toMatchObject({ detail: expect.stringContaining('Canary@7164') });
  const { line, text } = logged((log) => log.error({ err: refused }, 'failed'));
  expect(line.err).toMatchObject({ code: '23514', constraint: 'users_email_check' });
  expect(text).not.toContain('Canary');
});

test('a failure that repeats is logged ten times a minute, and then the number of the others', () => {
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const lines: { msg: string }[] = [];
  const log = createLog({ write: (line) => lines.push(JSON.parse(line)) });
  const count = (msg: string) => lines.splice(0).filter((line) => line.msg === msg).length;

  for (let n = 0; n < 1_000; n += 1) log.child({ reqId: n }).warn({ reason: 'no database' }, 'turned away');
  for (let n = 0; n < 1_000; n += 1) log.error({ err: new Error('no provider'), orderId: n }, 'not finished');
  expect(lines.map(({ msg }) => msg)).toEqual([...Array(10).fill('turned away'), ...Array(10).fill('not finished')]);
  lines.length = 0;
  // Another cause, an alert, and a line without a cause are other lines.
  log.warn({ reason: 'too many calls' }, 'turned away');
  for (let n = 0; n < 20; n += 1) log.error({ alert: 'dispute', reason: 'fraud' }, 'disputed');
  for (let n = 0; n < 20; n += 1) log.info('request');
  expect(lines.filter(({ msg }) => msg === 'turned away')).toMatchObject([{ reason: 'too many calls' }]);
  expect(lines.filter(({ msg }) => msg === 'disputed')).toHaveLength(20);
  expect(count('request')).toBe(20);

  vi.advanceTimersByTime(60_000);
  expect(lines.splice(0)).toMatchObject([
    { lines: 990, like: 'turned away', reason: 'no database', level: 40 },
    { lines: 990, like: 'not finished', reason: 'no provider', level: 40 },
  ]);
  for (let n = 0; n < 11; n += 1) log.warn({ reason: 'no database' }, 'turned away');
  expect(count('turned away')).toBe(10);
});
