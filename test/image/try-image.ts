// npm run image:try [NAME]: starts the shop from an image that deploy/build-image.sh built, with a root file system that cannot
// be written, buys a product in it as a guest, and prints what the image holds. For root on Linux, with buildah.

import { execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { startEmbeddedServer } from '../../src/server/platform/database/embedded/embedded-server.ts';
import { makeProduct } from '../factories.ts';
import { freePort, openShopOf } from '../processes.ts';
import { createShopper } from '../shopper.ts';
import { startSilentDatabaseProxy } from '../silent-proxy.ts';

interface ImageConfig {
  Env: string[];
  Entrypoint: string[];
  Cmd: string[];
  WorkingDir: string;
  User: string;
  Healthcheck: { Test: string[] };
}

const [, , name = 'localhost/kedai'] = process.argv;
const env = { STORAGE_DRIVER: 'vfs', BUILDAH_ISOLATION: 'chroot', ...process.env };
const run = (command: string, ...args: string[]) => execFileSync(command, args, { env, encoding: 'utf8' }).trim();
const tryToWrite = `
  try { fs.writeFileSync('/kedai/file', ''); process.exit(1) } catch ({ code }) { process.exit(code === 'EROFS' ? 0 : 1) }`;

const inspected = JSON.parse(run('buildah', 'inspect', '--type', 'image', name));
const image: ImageConfig = inspected.Docker.config;
const container = run('buildah', 'from', name);
const dataDir = mkdtempSync(join(tmpdir(), 'kedai-image-'));
const database = await startEmbeddedServer({ dataDir });
try {
  const root = run('buildah', 'mount', container);
  printSizes(root);
  // The container cannot reach the database's socket, as it shares no file system with it.
  await using overTcp = await startSilentDatabaseProxy(database.connectionString);
  const secrets = {
    DATABASE_URL: overTcp.connectionString,
    MASTER_KEYS: `m1:${randomBytes(32).toString('base64')}`,
    JWT_KEYS: `j1:${randomBytes(32).toString('base64')}`,
  };
  const port = await freePort();
  await using shop = await startFrom(root, secrets, {
    PORT: String(port),
    HOST: '127.0.0.1',
    PUBLIC_URL: `http://localhost:${port}`,
    TEST_MODE_PAYMENTS: 'allow',
    DRAIN_SECONDS: '0',
  });
  const url = `http://127.0.0.1:${port}`;
  shop.enter(image.Healthcheck.Test.slice(1));
  console.log(
    `Healthy: ${await (await fetch(`${url}/healthz`)).text()} ${await (await fetch(`${url}/readyz`)).text()}`,
  );
  shop.enter(['node', '-e', tryToWrite]);
  console.log('The root file system cannot be written');
  await buyIn(url, { ...secrets, DATA_DIR: dataDir });
} finally {
  await database.stop();
  run('buildah', 'rm', container);
  rmSync(dataDir, { recursive: true, force: true });
}

/** Starts the image's command as its user; only /tmp and /data can be written, and secrets are files. */
async function startFrom(root: string, secrets: Record<string, string>, settings: Record<string, string>) {
  const folder = mkdtempSync(join(tmpdir(), 'kedai-secrets-'));
  for (const [key, value] of Object.entries(secrets)) writeFileSync(join(folder, key), `${value}\n`, { mode: 0o644 });
  const files = Object.keys(secrets).map((key) => `${key}_FILE=/tmp/secrets/${key}`);
  const prepare = `
    mount --bind ${root} ${root} && mount -o remount,bind,ro ${root} && mount -t proc proc ${root}/proc
    mount -t tmpfs -o mode=1777 tmpfs ${root}/tmp && mount -t tmpfs -o uid=10001,gid=10001 tmpfs ${root}/data
    mkdir -m 755 ${root}/tmp/secrets && cp ${folder}/* ${root}/tmp/secrets/
    exec chroot --userspec=${image.User} ${root} "$@"`;
  const [main = '', ...rest] = image.Cmd;
  const command = [...image.Entrypoint, join(image.WorkingDir, main), ...rest];
  const given = [...image.Env, ...files, ...Object.entries(settings).map(([key, value]) => `${key}=${value}`)];
  const child = spawn('env', ['-i', ...given, 'unshare', '--mount', 'sh', '-ec', prepare, 'sh', ...command], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  await new Promise<void>((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`The shop ended with ${code}`)));
    createInterface({ input: child.stdout }).on('line', (line) => {
      console.log(`  ${line}`);
      if (line.includes('is open at')) resolve();
    });
  });
  return {
    /** Runs a command in the container. */
    enter: ([command = '', ...args]: string[]) =>
      execFileSync('nsenter', [`--target=${child.pid}`, '--mount', '--root', command, ...args], {
        env: Object.fromEntries(given.map((one) => one.split(/=(.*)/s))),
      }),
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGTERM');
      const [code] = await ended;
      console.log(`Stopped by SIGTERM with code ${code}`);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function buyIn(url: string, where: { DATABASE_URL: string; DATA_DIR: string; MASTER_KEYS: string }) {
  const { deps, close } = await openShopOf(where);
  const product = await makeProduct(deps, { items: 1 });
  await close();
  const guest = createShopper(url);
  const { orderId } = await guest.buy([{ product, quantity: 1 }], { email: 'guest@example.com' });
  const [key] = await guest.readKeys(orderId);
  if (key !== product.keys[0]) throw new Error(`The guest reads ${key} instead of ${product.keys[0]}`);
  const page = await (await fetch(url)).text();
  if (!page.includes('/assets/')) throw new Error('The page has no scripts');
  console.log(`Bought by a guest: order ${orderId} with its key`);
}

function printSizes(root: string): void {
  const parts = ['usr/local/bin/node', 'kedai/node_modules', 'kedai/dist', 'kedai/src', 'kedai/demo', ''];
  const sizes = parts.map((part) => [`/${part}`, Number(run('du', '-sk', join(root, part)).split('\t')[0]) / 1024]);
  console.table(Object.fromEntries(sizes.map(([part, size]) => [part, { MiB: Number(Number(size).toFixed(1)) }])));
}
