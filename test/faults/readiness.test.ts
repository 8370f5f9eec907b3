import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { version } from '../../src/server/platform/version.ts';
import { launchShop } from '../setup/kedai-launcher.ts';
import { makeDataDir } from '../setup/kedai-processes.ts';
import { startTestShop, type TestShop } from '../test-shop.ts';

describe('the probes', () => {
  let shop: TestShop;
  beforeAll(async () => {
    shop = await startTestShop();
  });
  afterAll(() => shop.stop());

  const probe = async (path: string) => {
    const response = await fetch(`${shop.url}${path}`);
    return { status: response.status, cache: response.headers.get('cache-control'), body: await response.json() };
  };
  const readyz = () => probe('/readyz');
  const becomes = (status: number, body: object) =>
    vi.waitFor(async () => expect(await readyz()).toMatchObject({ status, body }), { timeout: 30_000 });

  it('report that the process is alive and ready, and are not cached', async () => {
    expect(await probe('/healthz')).toEqual({ status: 200, cache: 'no-store', body: { status: 'ok', version } });
    expect(await readyz()).toEqual({ status: 200, cache: 'no-store', body: { status: 'ready' } });
  });

  it.each(['/healthz/x', '/readyz/x', '/readyz/database'])('do not exist at %s', async (path) => {
    expect(await probe(path)).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
  });

  it('report a database without a migration of this code', async () => {
    const rename = (from: string, to: string) =>
      sql`UPDATE schema_migrations SET name = ${to} WHERE name = ${from}`.execute(shop.deps.db);
    await rename('0001_shop.sql', 'another.sql');
    await becomes(503, { status: 'unavailable', failed: 'migrations' });
    expect(await probe('/healthz')).toMatchObject({ status: 200 });
    await rename('another.sql', '0001_shop.sql');
    await becomes(200, { status: 'ready' });
  });

  it('report a payment provider whose keys differ from those of this process', async () => {
    const account = shop.deps.db.updateTable('test_mode_account');
    const { secret_key } = await shop.deps.db
      .selectFrom('test_mode_account')
      .select('secret_key')
      .executeTakeFirstOrThrow();
    await account.set({ secret_key: 'sk_test_of_another_database' }).execute();
    await becomes(503, { status: 'unavailable', failed: 'payments' });
    await account.set({ secret_key }).execute();
    await becomes(200, { status: 'ready' });
  });
});

it('SIGTERM turns /readyz to 503 while calls are answered with Connection: close, and Ctrl-C ends the wait', async () => {
  const { launcher, opened } = await launchShop(makeDataDir(), { settings: { DRAIN_SECONDS: '300' } });
  const url = await opened();
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  expect(await callOn(agent, `${url}/readyz`)).toEqual({ status: 200, connection: 'keep-alive' });

  launcher.kill('SIGTERM');
  // The signal may not have arrived yet.
  await vi.waitFor(async () => expect((await callOn(agent, `${url}/readyz`)).status).toBe(503), { timeout: 30_000 });
  expect(await callOn(agent, `${url}/api/digital-products`)).toEqual({ status: 200, connection: 'close' });
  expect(await callOn(agent, `${url}/healthz`)).toEqual({ status: 200, connection: 'close' });

  const exit = once(launcher, 'exit');
  launcher.kill('SIGINT');
  expect(await exit).toEqual([0, null]);
});

function callOn(agent: Agent, url: string): Promise<{ status: number; connection: string | undefined }> {
  return new Promise((resolve, reject) => {
    request(url, { agent }, (response) => {
      const { statusCode = 0, headers } = response;
      response.resume().on('end', () => resolve({ status: statusCode, connection: headers.connection }));
    })
      .on('error', reject)
      .end();
  });
}
