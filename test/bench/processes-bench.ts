// npm run bench:processes: what do more processes of the shop on one database bring, and what is the database's own limit?
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import type { Database } from '../../src/server/platform/database/database.ts';
import { startEmbeddedServer } from '../../src/server/platform/database/embedded/embedded-server.ts';
import { openDatabase } from '../../src/server/platform/database/open-database.ts';
import { type Started, startShopProcess } from '../processes.ts';
import { measureCheckouts } from './checkout.ts';
import { stockUp } from './stock-up.ts';

const PROCESSES = [1, 2, 4];
const BUYERS = 16;
const SECONDS = 12;
const DEAREST = 6;
const MS_PER_TICK = 1_000 / Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));

const dataDir = mkdtempSync(join(tmpdir(), 'kedai-bench-'));
const server = await startEmbeddedServer({
  dataDir,
  settings: { shared_preload_libraries: 'pg_stat_statements', max_connections: '200' },
});
const env = { DATABASE_URL: server.connectionString, DATA_DIR: dataDir, DEMO: 'on', RATE_LIMITS: 'off' };
const db = openDatabase(server.connectionString);
const shops: Started[] = [];
const results = [];
try {
  await sql`CREATE EXTENSION pg_stat_statements`.execute(db);
  shops.push(await startShopProcess(env));
  const stock = await stockUp({ env, shopUrl: shops[0]?.url ?? '', buyers: BUYERS });
  for (const processes of PROCESSES) {
    while (shops.length < processes) shops.push(await startShopProcess({ ...env, DEMO: 'off' }));
    await buyFor(3, stock);
    await sql`SELECT pg_stat_statements_reset()`.execute(db);
    const before = { shops: shopsMs(), database: databaseMs() };
    const bought = await buyFor(SECONDS, stock);
    const count = bought.perSecond * SECONDS;
    const perCheckout = (ms: number) => Math.round((ms / count) * 10) / 10;
    const databaseEach = perCheckout(databaseMs() - before.database);
    results.push({
      processes,
      'checkouts a second': Math.round(bought.perSecond),
      'median ms': Math.round(bought.p50Ms),
      'shop: processor ms each': perCheckout(shopsMs() - before.shops),
      'database: processor ms each': databaseEach,
      'limit of a database core, a second': Math.round(1_000 / databaseEach),
      errors: bought.errors,
    });
  }
  console.log(`${availableParallelism()} cores for the buyers, the shop and its database together`);
  console.table(results);
  console.log('The dearest statements of the database, with the last number of processes:');
  console.table(await dearestStatements(db));
} finally {
  for (const shop of shops) await shop.stop();
  await db.destroy();
  await server.stop();
  rmSync(dataDir, { recursive: true, force: true });
}

async function buyFor(seconds: number, { tokens, products }: Awaited<ReturnType<typeof stockUp>>) {
  const share = tokens.length / shops.length;
  const runs = await Promise.all(
    shops.map(({ url }, n) =>
      measureCheckouts(url, { tokens: tokens.slice(n * share, (n + 1) * share), products, seconds }),
    ),
  );
  const sum = (pick: (run: (typeof runs)[number]) => number) => runs.reduce((total, run) => total + pick(run), 0);
  return {
    perSecond: sum(({ perSecond }) => perSecond),
    p50Ms: sum(({ p50Ms }) => p50Ms) / runs.length,
    errors: sum(({ errors }) => errors),
  };
}

function shopsMs(): number {
  return shops.reduce((sum, { pid }) => sum + processorMs(pid), 0);
}

/** Returns the processor time of the postmaster and its children, including those that have ended, in milliseconds. */
function databaseMs(): number {
  const postmaster = Number.parseInt(readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8'), 10);
  const children = readFileSync(`/proc/${postmaster}/task/${postmaster}/children`, 'utf8')
    .trim()
    .split(' ')
    .map(Number);
  return [postmaster, ...children].reduce((sum, pid) => sum + processorMs(pid), 0);
}

/** Returns the processor time of a process and of its children that have ended, in milliseconds (proc(5)). */
function processorMs(pid: number): number {
  const afterName = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return afterName.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) * MS_PER_TICK;
}

async function dearestStatements(database: Database) {
  const { rows } = await sql<{ share: string; calls: number; statement: string }>`
    SELECT round(100 * total_exec_time / sum(total_exec_time) OVER ()) || ' %' AS share, calls::integer,
      left(regexp_replace(query, '\\s+', ' ', 'g'), 90) AS statement
    FROM pg_stat_statements ORDER BY total_exec_time DESC LIMIT ${DEAREST}`.execute(database);
  return rows;
}
