import { randomUUID } from 'node:crypto';
import Fastify from 'fastify';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { openTestDatabase } from '../../../../test/database.ts';
import { systemClock } from '../../../../test/system-clock.ts';
import { AppError } from '../../../shared/errors.ts';
import { openDatabase } from '../database/open-database.ts';
import type { Viewer } from '../http/client.ts';
import { sendError } from '../http/errors.ts';
import { createRoute } from '../http/route.ts';
import { createRateLimits } from './rate-limits.ts';

/** Creates limits over a database that is away: nothing listens on port 1. */
function limitsWithoutDatabase() {
  const lines: string[] = [];
  const log = pino({}, { write: (line: string) => lines.push(line) });
  // Time stands still, so that a slow machine does not begin another minute.
  const clock = { now: () => new Date('2026-03-01T00:00:00Z') };
  return { limits: createRateLimits({ db: openDatabase('postgres://nobody@127.0.0.1:1/none'), log, clock }), lines };
}

it('the limits continue with the counts of the process while the database is unavailable', async () => {
  const { limits, lines } = limitsWithoutDatabase();
  const ask = (address: string) => limits.countRequest('catalogue', { address });
  for (let count = 0; count < 300; count += 1) await ask('203.0.113.7');
  await expect(ask('203.0.113.7')).rejects.toMatchObject({ code: 'RATE_LIMITED', retryAfterSeconds: 60 });
  await ask('203.0.113.8');
  await expect.poll(() => lines.length).toBe(10);
  expect(lines[0]).toContain('a limit is counted by each process for itself');
});

it('the limits allow each administrator 300 calls a minute in all', async () => {
  const app = Fastify();
  app.setErrorHandler(sendError);
  const { limits } = limitsWithoutDatabase();
  const names = { email: '', name: '', phone: '' };
  const viewer = { sessionId: '', authenticatedAt: new Date(), role: 'admin', ...names } as const;
  const authenticate = async (userId: string): Promise<Viewer> => ({ ...viewer, userId });
  const route = createRoute(app, authenticate, limits);
  const id = randomUUID();
  route('DELETE /digital-products/:id', async () => ({}));
  route('POST /admin/orders/:id/resend-mail', async () => ({}));
  const send = async (method: 'DELETE' | 'POST', path: string, admin: string) => {
    const headers = { authorization: `Bearer ${admin}` };
    return (await app.inject({ method, url: `/api${path}`, headers })).statusCode;
  };
  const deleteProduct = (admin: string) => send('DELETE', `/digital-products/${id}`, admin);
  for (let count = 0; count < 150; count += 1) {
    expect(await deleteProduct('mina')).toBe(200);
    expect(await send('POST', `/admin/orders/${id}/resend-mail`, 'mina')).toBe(200);
  }
  expect(await deleteProduct('mina')).toBe(429);
  expect(await deleteProduct('omar')).toBe(200);
});

it('thousands of refused tries postpone no try beyond the end of their window', async () => {
  const { db } = await openTestDatabase();
  const now = new Date('2026-03-01T00:00:00Z');
  const in60Seconds = new Date(now.getTime() + 60_000);
  const limits = createRateLimits({ db, log: pino({ enabled: false }), clock: { now: () => now } });
  const attempt = () => limits.countFailures('guest-password', { device: 'one' }, async () => false);
  await attempt();
  await db.updateTable('rate_waits').set({ tries: 5_000, open_at: in60Seconds, expires_at: in60Seconds }).execute();
  await expect(attempt()).rejects.toMatchObject({ code: 'RATE_LIMITED', retryAfterSeconds: 60 });
});

it('a limit of failures counts refusals, but no attempt that was turned away as busy or met an internal error', async () => {
  const { db } = await openTestDatabase();
  const limits = createRateLimits({ db, log: pino({ enabled: false }), clock: systemClock });
  const attempt = (error: Error) => limits.countFailures('admin-code', { session: 'one' }, () => Promise.reject(error));
  const [busy, internal, refused] = [new AppError('BUSY', ''), new Error('internal'), new AppError('INVALID_CODE', '')];
  for (const error of [...Array(6).fill(busy), ...Array(6).fill(internal), ...Array(5).fill(refused)]) {
    await expect(attempt(error)).rejects.toBe(error);
  }
  await expect(attempt(refused)).rejects.toMatchObject({ code: 'RATE_LIMITED' });
});
