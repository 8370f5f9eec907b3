import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedServer } from '../../src/server/platform/database/embedded/embedded-server.ts';
import { startShopProcess } from '../processes.ts';
import { compareCatalogue } from './catalogue.ts';
import { measureCheckouts } from './checkout.ts';
import { measureHonestOrders } from './honest-order.ts';
import { best, type Timings } from './http-load.ts';
import { stockUp } from './stock-up.ts';

const BUYERS = 8;
const SECONDS = 5;
const ROUNDS = 4;

const dataDir = mkdtempSync(join(tmpdir(), 'kedai-bench-'));
const server = await startEmbeddedServer({ dataDir });
const env = { DATABASE_URL: server.connectionString, DATA_DIR: dataDir, DEMO: 'on', RATE_LIMITS: 'off' };
const shop = await startShopProcess(env);

try {
  const catalogue = await compareCatalogue(shop.url);
  print('catalogue list, 64 connections', catalogue.ours);
  print(`bare route, ${catalogue.bodyBytes} bytes`, catalogue.bare);
  reach('catalogue / bare', catalogue.ours.perSecond / catalogue.bare.perSecond, 0.5);

  const stock = await stockUp({ env, shopUrl: shop.url, buyers: BUYERS });
  await measureCheckouts(shop.url, { ...stock, seconds: 3 });
  const checkouts: Timings[] = [];
  const honestOrders: Timings[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    checkouts.push(await measureCheckouts(shop.url, { ...stock, seconds: SECONDS }));
    honestOrders.push(await measureHonestOrders(server.connectionString, { workers: BUYERS, seconds: SECONDS }));
  }
  const [checkout, honest] = [best(checkouts), best(honestOrders)];
  print(`whole checkout, ${BUYERS} buyers`, checkout);
  print('smallest honest order', honest);
  reach('checkout / honest order', checkout.perSecond / honest.perSecond, 0.08);

  const memory = shop.residentMb();
  if (memory !== undefined) console.log(`server memory ${memory.toFixed(0)} MB (to reach: under 200 MB)`);
} finally {
  await shop.stop();
  await server.stop();
  rmSync(dataDir, { recursive: true, force: true });
}

function print(name: string, { perSecond, p50Ms, p99Ms, errors }: Timings): void {
  const rate = perSecond.toFixed(0).padStart(7);
  console.log(`${name.padEnd(32)}${rate}/s  p50 ${p50Ms.toFixed(1)} ms  p99 ${p99Ms.toFixed(1)} ms  errors ${errors}`);
}

function reach(name: string, ratio: number, goal: number): void {
  console.log(`${name.padEnd(32)}${(ratio * 100).toFixed(1).padStart(7)} %  (to reach: ${goal * 100} %)`);
}
