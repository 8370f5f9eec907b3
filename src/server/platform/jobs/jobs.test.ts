import { sql } from 'kysely';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createEmptyDatabase, type TestDatabase } from '../../../../test/database.ts';
import type { Database } from '../database/database.ts';
import { openDatabase } from '../database/open-database.ts';
import { type Jobs, startJobs } from './jobs.ts';

const lines: string[] = [];
const log = pino({}, { write: (line) => lines.push(line) });

let testDatabase: TestDatabase;
let db: Database;
let started: Jobs[];
beforeEach(async () => {
  testDatabase = await createEmptyDatabase();
  db = openDatabase(testDatabase.connectionString, { maxConnections: 5 });
  started = [];
});
afterEach(async () => {
  await Promise.all(started.map((jobs) => jobs.stop()));
  await db.destroy();
  await testDatabase.drop();
});

async function start(): Promise<Jobs> {
  const jobs = await startJobs({ connectionString: testDatabase.connectionString, log });
  started.push(jobs);
  return jobs;
}

const enqueue = (jobs: Jobs, mailId: string) =>
  db.transaction().execute((trx) => jobs.enqueue(trx, 'send-mail', { mailId }));

const patience = { timeout: 15_000, interval: 20 };

test('a job runs only if its transaction commits', async () => {
  const jobs = await start();
  const done: string[] = [];
  const rolledBack = db.transaction().execute(async (trx) => {
    await jobs.enqueue(trx, 'send-mail', { mailId: 'rolled back' });
    throw new Error('no');
  });
  await expect(rolledBack).rejects.toThrow('no');
  await enqueue(jobs, 'committed');
  await jobs.work('send-mail', async ({ mailId }) => {
    done.push(mailId);
  });
  await vi.waitFor(() => expect(done).toContain('committed'), patience);
  await enqueue(jobs, 'afterwards');
  await vi.waitFor(() => expect(done).toEqual(['committed', 'afterwards']), patience);
});

test('a failed job is retried and does not delay other jobs', async () => {
  const jobs = await start();
  const calls: string[] = [];
  await enqueue(jobs, 'broken');
  await enqueue(jobs, 'whole');
  await jobs.work('send-mail', async ({ mailId }) => {
    calls.push(mailId);
    if (mailId === 'broken' && calls.filter((id) => id === 'broken').length < 2) throw new Error('not yet');
  });
  await vi.waitFor(() => expect(calls.toSorted()).toEqual(['broken', 'broken', 'whole']), patience);
  const failed = lines.map((text) => JSON.parse(text)).find(({ msg }) => msg.startsWith('A job failed'));
  expect(failed).toMatchObject({ queue: 'send-mail', jobId: expect.any(String), reason: 'not yet' });
});

test('a start gives the queues of an earlier version their new options', async () => {
  await start();
  const { rows: created } = await sql`SELECT * FROM jobs.queue ORDER BY name`.execute(db);
  await sql`UPDATE jobs.queue SET retry_limit = 1, retry_delay_max = 2, heartbeat_seconds = 30`.execute(db);
  await start();
  const { rows: updated } = await sql`SELECT * FROM jobs.queue ORDER BY name`.execute(db);
  const optionsOf = (rows: unknown[]) =>
    (rows as Record<string, unknown>[]).map((row) => [
      row['retry_limit'],
      row['retry_delay_max'],
      row['heartbeat_seconds'],
    ]);
  expect(optionsOf(updated)).toEqual(optionsOf(created));
});

test('a job of a lower priority runs after the others, even those enqueued later', async () => {
  const jobs = await start();
  const done: string[] = [];
  await db.transaction().execute(async (trx) => {
    await jobs.enqueue(trx, 'send-mail', { mailId: 'lowest' }, { priority: -2 });
    for (let count = 1; count <= 10; count += 1) {
      await jobs.enqueue(trx, 'send-mail', { mailId: `low ${count}` }, { priority: -1 });
    }
  });
  for (let count = 1; count <= 10; count += 1) await enqueue(jobs, `later ${count}`);
  await jobs.work('send-mail', async ({ mailId }) => {
    done.push(mailId);
  });
  await vi.waitFor(() => expect(done).toHaveLength(21), patience);
  expect(done.slice(0, 10).filter((mailId) => mailId.startsWith('later'))).toHaveLength(10);
  expect(done.at(-1)).toBe('lowest');
});

test('a job whose retries are used up is handed over once', async () => {
  const jobs = await start();
  const tried: string[] = [];
  const givenUp: string[] = [];
  await enqueue(jobs, 'refused');
  await sql`UPDATE jobs.job SET retry_limit = 1, retry_delay = 0 WHERE name = 'send-mail'`.execute(db);
  await jobs.work('given-up-mail', async ({ mailId }) => {
    givenUp.push(mailId);
  });
  await jobs.work('send-mail', async ({ mailId }) => {
    tried.push(mailId);
    throw new Error('never');
  });
  await vi.waitFor(() => expect(givenUp).toEqual(['refused']), patience);
  expect(tried).toEqual(['refused', 'refused']);
});

test('a job is kept for more than ten days, and its retries last more than five days', async () => {
  await enqueue(await start(), 'tried');
  const { rows } = await sql<{ days: number; fewestTriesDays: number }>`
    SELECT extract(epoch FROM keep_until - now())::float / 86400 AS days,
      retry_limit * retry_delay_max / 86400.0 AS "fewestTriesDays"
    FROM jobs.job`.execute(db);
  expect(rows[0]?.days).toBeGreaterThan(10);
  expect(Number(rows[0]?.fewestTriesDays)).toBeGreaterThan(5);
});

test('processes that start concurrently on an empty database share the jobs, each run once', async () => {
  const processes = await Promise.all([start(), start(), start()]);
  const ids = Array.from({ length: 40 }, (_, index) => `job ${index}`);
  const done: string[] = [];
  for (const jobs of processes) {
    await jobs.work('send-mail', async ({ mailId }) => {
      done.push(mailId);
    });
  }
  await Promise.all(ids.map((id, index) => enqueue(processes[index % 3] ?? processes[0], id)));
  await vi.waitFor(() => expect(done.length).toBeGreaterThanOrEqual(ids.length), patience);
  expect(done.sort()).toEqual(ids.sort());
});

test('a stop waits for the running job and leaves the rest to the next process', async () => {
  const first = await start();
  let release: () => void = () => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const done: string[] = [];
  await enqueue(first, 'running');
  const entered = new Promise<void>((resolve) => {
    void first.work('send-mail', async ({ mailId }) => {
      resolve();
      await released;
      done.push(mailId);
    });
  });
  await entered;
  let isStopped = false;
  const stopped = first.stop().then(() => {
    isStopped = true;
  });
  const second = await start();
  await enqueue(second, 'waiting');
  expect([done, isStopped]).toEqual([[], false]);
  release();
  await stopped;
  expect(done).toEqual(['running']);
  await second.work('send-mail', async ({ mailId }) => {
    done.push(mailId);
  });
  await vi.waitFor(() => expect(done).toEqual(['running', 'waiting']), patience);
});

test('jobs that were postponed while the clock was ahead run when it is right again', async () => {
  const jobs = await start();
  await enqueue(jobs, 'killed');
  await sql`UPDATE jobs.job SET state = 'active', heartbeat_on = now() + interval '1 hour'`.execute(db);
  await enqueue(jobs, 'waiting');
  await sql`UPDATE jobs.job SET start_after = start_after + interval '1 hour'`.execute(db);
  await sql`UPDATE jobs.queue SET monitor_claim_on = now() + interval '1 hour'`.execute(db);
  await jobs.resume();
  // So pg-boss finds within a minute that the process of this job was killed.
  const { rows } = await sql`
    SELECT FROM jobs.job JOIN jobs.queue USING (name)
    WHERE job.state = 'active' AND heartbeat_on <= now() AND monitor_claim_on <= now()`.execute(db);
  expect(rows).toHaveLength(1);
  const done: string[] = [];
  await jobs.work('send-mail', async ({ mailId }) => {
    done.push(mailId);
  });
  await vi.waitFor(() => expect(done).toEqual(['waiting']), patience);
});

test('a lost database connection ends neither the process nor the work', async () => {
  const jobs = await start();
  const done: string[] = [];
  await jobs.work('send-mail', async ({ mailId }) => {
    done.push(mailId);
  });
  await enqueue(jobs, 'before');
  await vi.waitFor(() => expect(done).toEqual(['before']), patience);
  lines.length = 0;
  await sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
            WHERE application_name = 'kedai-jobs' AND datname = current_database()`.execute(db);
  await vi.waitFor(() => expect(lines.join()).toContain('A job queue call failed'), patience);
  for (const line of lines.map((text) => JSON.parse(text))) {
    // Whichever notices first: reading (ended, or reset) or writing (a broken pipe).
    expect(line).toMatchObject({ level: 40, reason: expect.stringMatching(/connection|ECONNRESET|EPIPE/i) });
    expect(line).not.toHaveProperty('stack');
  }
  await enqueue(jobs, 'after');
  await vi.waitFor(() => expect(done).toEqual(['before', 'after']), patience);
});

test('a connection that is lost during a stop is not reported', async () => {
  const jobs = await start();
  const { promise: isOver, resolve: end } = Promise.withResolvers<void>();
  const handler = vi.fn(() => isOver);
  await jobs.work('send-mail', handler);
  await enqueue(jobs, 'running');
  await vi.waitFor(() => expect(handler).toHaveBeenCalled(), patience);
  const before = lines.length;
  const stopped = jobs.stop();
  const { rows } = await sql`SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
    WHERE application_name = 'kedai-jobs' AND datname = current_database() AND state = 'idle'`.execute(db);
  expect(rows.length).toBeGreaterThan(0);
  end();
  await stopped;
  expect(lines.slice(before)).toEqual([]);
});
