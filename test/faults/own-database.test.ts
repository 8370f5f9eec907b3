import { once } from 'node:events';
import { readFileSync, renameSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { readConfig } from '../../src/server/config.ts';
import { openItemCipher } from '../../src/server/platform/crypto/key-ring.ts';
import { toConnectionString } from '../../src/server/platform/database/embedded/embedded-server.ts';
import { openDatabase } from '../../src/server/platform/database/open-database.ts';
import { makeProduct } from '../factories.ts';
import { findServer, isStoppedCleanly, type LaunchedShop, launchShop } from '../setup/kedai-launcher.ts';
import { makeDataDir, query } from '../setup/kedai-processes.ts';
import { createShopper } from '../shopper.ts';
import { mountSmallDisk } from '../small-disk.ts';
import { systemClock } from '../system-clock.ts';
import { FAULT_TEST_LIMIT } from './fault-world.ts';

const WAIT = { timeout: 120_000, interval: 100 };

describe('the embedded database', FAULT_TEST_LIMIT, () => {
  it('is restarted after it was killed, and the same process continues to sell', async () => {
    const dataDir = makeDataDir();
    const shop = await launchShop(dataDir, { settings: { RATE_LIMITS: 'off' } });
    const url = await shop.opened();
    const buy = await makeSeller(dataDir, url);
    const before = findServer(dataDir);
    process.kill(before.postgres, 'SIGKILL');
    await vi.waitFor(async () => expect(await buy()).toBe(200), WAIT);
    const after = findServer(dataDir);
    expect(after.server).toBe(before.server);
    expect(after.postgres).not.toBe(before.postgres);
    expect(shop.output()).toContain('"reason":"it ended with SIGKILL"');
  });

  it('that fails five times in a minute ends the process with one alert, and npm start retries until it runs', async () => {
    const dataDir = makeDataDir();
    const shop = await launchShop(dataDir);
    await shop.opened();
    const control = join(dataDir, 'postgres/global/pg_control');
    renameSync(control, `${control}.away`);
    process.kill(findServer(dataDir).postgres, 'SIGKILL');
    await vi.waitFor(() => expect(shop.output()).toContain('The server ended (code 1)'), WAIT);
    expect(alertsOf(shop)).toEqual(['database-lost']);
    renameSync(`${control}.away`, control);
    expect((await fetch(`${await shop.opened(2)}/readyz`)).status).toBe(200);
  });

  it('whose disk is full recovers in the same process as soon as there is space', async () => {
    const dataDir = makeDataDir();
    const disk = mountSmallDisk(dataDir, 160);
    const shop = await launchShop(dataDir, { settings: { RATE_LIMITS: 'off' } });
    const url = await shop.opened();
    const buy = await makeSeller(dataDir, url);
    const { server } = findServer(dataDir);
    disk.fill();
    // Each call starts another WAL file, until there is no room for one.
    const writeLog = () => query(connectionOf(dataDir), 'SELECT pg_switch_wal(), txid_current()');
    await vi.waitFor(async () => expect(await writeLog().catch(() => 'refused')).toBe('refused'), WAIT);
    await vi.waitFor(() => expect(alertsOf(shop)).toEqual(['disk-full']), WAIT);
    expect((await fetch(`${url}/readyz`)).status).toBe(503);
    expect((await fetch(`${url}/healthz`)).status).toBe(200);

    disk.makeSpace();
    await vi.waitFor(async () => expect(await buy()).toBe(200), WAIT);
    expect(findServer(dataDir).server).toBe(server);
    const exit = once(shop.launcher, 'exit');
    shop.launcher.kill('SIGTERM');
    expect(await exit).toEqual([0, null]);
  });

  it('is stopped cleanly with a shop that has an unfinished request, which is cut off', async () => {
    const dataDir = makeDataDir();
    const shop = await launchShop(dataDir);
    const { port } = new URL(await shop.opened());
    const client = connect(Number(port), '127.0.0.1');
    const closed = new Promise((resolve) => client.on('close', resolve));
    client.on('error', () => undefined);
    // The answer `100 Continue` shows that the request is under way; its body never comes.
    const head = ['POST /api/auth/login HTTP/1.1', 'Host: localhost', 'Content-Type: application/json'];
    client.write(`${[...head, 'Content-Length: 100', 'Expect: 100-continue'].join('\r\n')}\r\n\r\n`);
    await once(client, 'data');
    const exit = once(shop.launcher, 'exit');
    shop.launcher.kill('SIGTERM');
    expect(await exit).toEqual([0, null]);
    await closed;
    expect(isStoppedCleanly(dataDir)).toBe(true);
  });

  it('is stopped cleanly with a shop that waits for a mail server that does not answer', async () => {
    const mailServer = createServer((socket) => socket.on('error', () => undefined).write('220 ready\r\n'));
    mailServer.listen(0, '127.0.0.1');
    await once(mailServer, 'listening');
    onTestFinished(() => void mailServer.close());
    const { port } = mailServer.address() as AddressInfo;
    const dataDir = makeDataDir();
    const shop = await launchShop(dataDir, {
      settings: { SMTP_URL: `smtp://127.0.0.1:${port}`, OPEN_REGISTRATION: 'on' },
    });
    const url = await shop.opened();
    const sending = once(mailServer, 'connection');
    const account = { name: 'A Customer', email: 'customer@example.com', password: 'a long password' };
    const customer = createShopper(url);
    expect((await customer.post('/api/auth/register', account)).status).toBe(200);
    expect((await customer.post('/api/auth/forgotpassword', { email: account.email })).status).toBe(200);
    await sending;
    const exit = once(shop.launcher, 'exit');
    shop.launcher.kill('SIGTERM');
    await exit;
    expect(isStoppedCleanly(dataDir)).toBe(true);
  });
});

const connectionOf = (dataDir: string) =>
  toConnectionString({
    host: join(dataDir, 'postgres'),
    port: 5432,
    user: 'kedai',
    password: readFileSync(join(dataDir, 'postgres-password'), 'utf8').trim(),
    database: 'kedai',
  });

/** Puts a product on sale; returns a guest's call that opens a payment for it and returns the status. */
async function makeSeller(dataDir: string, url: string): Promise<() => Promise<number>> {
  const db = openDatabase(connectionOf(dataDir), { maxConnections: 1 });
  onTestFinished(() => db.destroy());
  const cipher = await openItemCipher(db, readConfig({ DATA_DIR: dataDir }).masterKeys);
  const product = await makeProduct({ db, cipher, clock: systemClock }, { items: 200 });
  const cart = [{ product, quantity: 1 }];
  return async () => (await createShopper(url).openPayment(cart, { email: 'guest@example.com' })).status;
}

function alertsOf(shop: LaunchedShop): string[] {
  return [...shop.output().matchAll(/"alert":"(?<alert>[\w-]+)"/g)].map(({ groups }) => groups?.['alert'] ?? '');
}
