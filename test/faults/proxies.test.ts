import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it, onTestFinished, vi } from 'vitest';
import { fillInDeployFile, nginxAround } from '../deploy-files.ts';
import type { MadeProduct } from '../factories.ts';
import { freePort, startShopProcess } from '../processes.ts';
import { findProgram } from '../programs.ts';
import { orderItems } from '../shopper.ts';
import { FAULT_TEST_LIMIT, openFaultWorld } from './fault-world.ts';

const CLIENTS_OF_A_PROXY = 4;
const REQUESTS_OF_A_CLIENT = 125;
const NAMES = ['First', 'Second'] as const;

interface Proxy {
  name: string;
  url: string;
}

it(
  'a rolling restart behind HAProxy or nginx neither loses nor repeats a GET or POST on a keep-alive connection',
  FAULT_TEST_LIMIT,
  async () => {
    await using world = await openFaultWorld();
    const ports = [await freePort(), await freePort()];
    const start = (index: number) =>
      startShopProcess({
        PORT: String(ports[index]),
        STORE_NAME: NAMES[index] ?? '',
        DATABASE_URL: world.databaseUrl,
        DATA_DIR: world.dataDir,
        RATE_LIMITS: 'off',
        TRUST_PROXY: '1',
        DRAIN_SECONDS: '2',
      });
    const shops = [await start(0), await start(1)];
    await using proxies = await startProxies(world.dataDir, ports);
    const product = await world.makeProduct({ items: 6_000 });

    let restarting = true;
    const clients = proxies.list.flatMap((proxy) =>
      Array.from({ length: CLIENTS_OF_A_PROXY }, (_, n) =>
        n % 2 === 0 ? readCatalogue(proxy) : openPayments(proxy, product, n),
      ),
    );
    const load = clients.map(async (client) => {
      // The pace of a shopper, so that the restarts happen under load and not after it.
      for (let sent = 0; restarting || sent < REQUESTS_OF_A_CLIENT; sent += 1) {
        await client.send();
        await delay(50);
      }
    });
    try {
      for (const index of [0, 1, 0, 1]) {
        await shops[index]?.stop();
        shops[index] = await start(index);
        await Promise.all(proxies.list.map((proxy) => seenBehind(proxy, NAMES[index] ?? '')));
      }
    } finally {
      restarting = false;
      await Promise.all(load);
      await Promise.all(shops.map((shop) => shop.stop()));
    }

    expect(clients.flatMap(({ failures }) => failures)).toEqual([]);
    expect(clients.map(({ connections }) => connections())).toEqual(clients.map(() => 1));
    const orders = await world.db.selectFrom('orders').select('id').execute();
    const posted = clients.reduce((sum, { opened }) => sum + opened.length, 0);
    expect(orders).toHaveLength(posted);
  },
);

it('the proxies answer 404 for the probes under every spelling of their paths that the shop accepts', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'kedai-proxies-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const shop = createServer((_request, response) => response.end(JSON.stringify(NAMES))).listen(0, '127.0.0.1');
  await once(shop, 'listening');
  onTestFinished(() => void shop.close());
  const { port } = shop.address() as AddressInfo;
  await using proxies = await startProxies(folder, [port, port]);

  const probes = [
    '/readyz',
    '/healthz',
    '/readyz/',
    '/healthz/',
    '/readyz?',
    '/healthz/?a=b',
    '/%72eadyz',
    '/healt%68z/',
  ];
  for (const { name, url } of proxies.list) {
    const statuses = probes.map(async (path) => [name, path, (await call(`${url}${path}`)).status]);
    expect(await Promise.all(statuses)).toEqual(probes.map((path) => [name, path, 404]));
    expect((await call(`${url}/info/readyz`)).status).toBe(200);
  }
});

it('the proxies go on sending requests to shops whose readiness takes a second and a half, as on an overloaded machine', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'kedai-proxies-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  let checks = 0;
  const shop = createServer((request, response) => {
    const answer = () => response.end(JSON.stringify(NAMES));
    if (request.url !== '/readyz') return answer();
    response.once('close', () => {
      checks += 1;
    });
    setTimeout(answer, 1_500);
  }).listen(0, '127.0.0.1');
  await once(shop, 'listening');
  onTestFinished(() => void shop.close());
  const { port } = shop.address() as AddressInfo;
  await using proxies = await startProxies(folder, [port, port]);

  // Three of each shop.
  await vi.waitFor(() => expect(checks).toBeGreaterThanOrEqual(6), { timeout: 60_000 });
  for (const { url } of proxies.list) expect((await call(`${url}/info/about`)).status).toBe(200);
});

it('the proxies find a script that only one of two versions has, and ask only one process for anything else', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'kedai-proxies-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  let missed = 0;
  const startVersion = async (script: string) => {
    const shop = createServer(({ url = '' }, response) => {
      const isMissing = url.startsWith('/api/missing') || (url.startsWith('/assets/') && url !== script);
      if (url.startsWith('/api/missing')) missed += 1;
      response.writeHead(isMissing ? 404 : 200).end(JSON.stringify(NAMES));
    }).listen(0, '127.0.0.1');
    await once(shop, 'listening');
    onTestFinished(() => void shop.close());
    return (shop.address() as AddressInfo).port;
  };
  const scripts = ['/assets/earlier.js', '/assets/later.js'];
  await using proxies = await startProxies(folder, await Promise.all(scripts.map(startVersion)));

  for (const { url } of proxies.list) {
    for (const path of Array.from({ length: 10 }, () => scripts).flat()) {
      expect((await call(`${url}${path}`)).status).toBe(200);
    }
    expect((await call(`${url}/assets/of-no-version.js`)).status).toBe(404);
    missed = 0;
    for (const method of ['GET', 'POST']) {
      expect((await call(`${url}/api/missing`, { method, body: method === 'POST' ? '{}' : '' })).status).toBe(404);
    }
    expect(missed).toBe(2);
  }
});

/** A client that keeps its connection to the proxy, and the failures that it met. */
interface Client {
  send(): Promise<void>;
  failures: string[];
  /** Ids of the orders in the answers to this client. */
  opened: string[];
  connections(): number;
}

const readCatalogue = (proxy: Proxy) => keptClient(proxy, () => ({ path: '/api/digital-products' }));

const openPayments = (proxy: Proxy, product: MadeProduct, client: number) =>
  keptClient(proxy, (sent) => ({
    path: '/api/digital-orders/guest/create-payment-intent',
    body: JSON.stringify({
      orderItems: orderItems([{ product, quantity: 1 }]),
      guestEmail: `guest-${proxy.name}-${client}-${sent}@example.com`,
      guestName: 'Guest Buyer',
    }),
  }));

function keptClient(proxy: Proxy, next: (sent: number) => { path: string; body?: string }): Client {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const sockets = new Set<unknown>();
  const failures: string[] = [];
  const opened: string[] = [];
  let sent = 0;
  return {
    failures,
    opened,
    connections: () => sockets.size,
    send: async () => {
      sent += 1;
      const { path, body } = next(sent);
      const method = body === undefined ? 'GET' : 'POST';
      try {
        const answer = await call(`${proxy.url}${path}`, { agent, method, body, sockets });
        if (answer.status !== 200) failures.push(`${proxy.name} ${method} ${answer.status} ${answer.body}`);
        else if (body !== undefined) opened.push(JSON.parse(answer.body).orderId);
      } catch (error) {
        failures.push(`${proxy.name} ${method} ${error}`);
      }
    },
  };
}

function call(
  url: string,
  options: { agent?: Agent; method?: string; body?: string | undefined; sockets?: Set<unknown> } = {},
): Promise<{ status: number; body: string }> {
  const { agent, method = 'GET', body = '', sockets } = options;
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
    const sending = request(url, { agent, method, headers: body ? headers : {} }, (response) => {
      let text = '';
      response.on('data', (chunk) => {
        text += chunk;
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body: text }));
      response.on('error', reject);
    });
    sending.on('socket', (socket) => sockets?.add(socket));
    sending.on('error', reject);
    sending.end(body);
  });
}

/** Waits until the shop with this name answers through the proxy. */
async function seenBehind(proxy: Proxy, storeName: string): Promise<void> {
  await vi.waitFor(async () => expect((await call(`${proxy.url}/api/shop`)).body).toContain(`"${storeName}"`), {
    timeout: 60_000,
    interval: 20,
  });
}

/** Starts the real proxies with the configurations of deploy/, in which this test's addresses are filled in. */
async function startProxies(folder: string, [first, second]: number[]) {
  const [haproxyPort, nginxPort] = [await freePort(), await freePort()];
  const processes: { '10.0.0.11:3000': string; '10.0.0.12:3000': string } = {
    '10.0.0.11:3000': `127.0.0.1:${first}`,
    '10.0.0.12:3000': `127.0.0.1:${second}`,
  };
  const haproxyFile = join(folder, 'haproxy.cfg');
  writeFileSync(
    haproxyFile,
    fillInDeployFile('haproxy.cfg', {
      ...processes,
      'bind :443 ssl crt /etc/haproxy/shop.example.pem alpn h2,http/1.1': `bind 127.0.0.1:${haproxyPort}`,
    }),
  );
  const nginxFile = join(folder, 'nginx.conf');
  writeFileSync(nginxFile, nginxAround(folder, { listen: `127.0.0.1:${nginxPort}`, ...processes }));

  const children = [
    startProxy(await findProgram('haproxy'), ['-db', '-q', '-f', haproxyFile]),
    startProxy(await findProgram('nginx'), ['-p', folder, '-c', nginxFile]),
  ];
  const list: Proxy[] = [
    { name: 'HAProxy', url: `http://127.0.0.1:${haproxyPort}` },
    { name: 'nginx', url: `http://127.0.0.1:${nginxPort}` },
  ];
  const stop = async () => {
    for (const { child, ended } of children) {
      child.kill('SIGTERM');
      await ended;
    }
  };
  const failed = children.map(async ({ ended, output }) => {
    await ended;
    throw new Error(`A proxy ended: ${output()}`);
  });
  const ready = Promise.all(list.flatMap((proxy) => NAMES.map((name) => seenBehind(proxy, name))));
  try {
    await Promise.race([ready, ...failed]);
  } catch (error) {
    await stop();
    throw error;
  } finally {
    for (const ending of failed) ending.catch(() => undefined);
  }
  return { list, [Symbol.asyncDispose]: stop };
}

function startProxy(program: string, args: string[]) {
  const child: ChildProcess = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk) => {
      output += chunk;
    });
  }
  return { child, ended: once(child, 'exit'), output: () => output };
}
