import { sql } from 'kysely';
import { expect, test } from 'vitest';
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
