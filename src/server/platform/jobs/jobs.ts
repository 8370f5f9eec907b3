import { fromKysely, type Job, PgBoss } from 'pg-boss';
import type { Logger } from 'pino';
import { type DatabaseLimits, openPool, type PoolOptions } from '../database/connections.ts';
import type { Transaction } from '../database/database.ts';
import { classifyError, DatabaseUnavailable } from '../database/database-errors.ts';
import { errorCodeOf, reasonOf } from '../system-errors.ts';
import { noTracing, type Tracing } from '../tracing/tracing.ts';

/** Every queue of the shop and the data of its jobs: ids only, so that no job stores personal data. */
export interface JobData {
  'send-mail': { mailId: string };
  /** `after`: the last order that was looked at. */
  'tell-buyers': { fileId: string; after?: string };
  /** Mails of which the last attempt of `send-mail` has failed. */
  'given-up-mail': { mailId: string };
}
type QueueName = keyof JobData;

/** Runs work that must happen after a transaction, even if the process ends before. */
export interface Jobs {
  /**
   * Adds a job in the caller's transaction: the job exists if and only if the transaction commits. Within a queue, jobs
   * with a higher priority run first; the default is 0.
   */
  enqueue<Q extends QueueName>(
    trx: Transaction,
    queue: Q,
    data: JobData[Q],
    options?: { priority?: number },
  ): Promise<void>;
  /** Runs the queue's jobs here. A handler may run again for a job: after it threw, or after its process was killed. */
  work<Q extends QueueName>(queue: Q, handler: (data: JobData[Q]) => Promise<void>): Promise<void>;
  /** Makes jobs due that were postponed while the clock of the database was ahead; they would wait as much longer. */
  resume(): Promise<void>;
  /** Waits at most ten seconds for running handlers. Another process repeats unfinished jobs. */
  stop(): Promise<void>;
}

// A dead-letter queue must be created before the queue that refers to it.
const queues: { name: QueueName; deadLetter?: QueueName }[] = [
  { name: 'given-up-mail' },
  { name: 'send-mail', deadLetter: 'given-up-mail' },
  { name: 'tell-buyers' },
];

// A mail server may be down for days: after a minute of quick attempts, there is one every five minutes for five days.
// Attempts that hang take longer, so sendMail gives a mail up by its age. pg-boss silently deletes a waiting job after
// `retentionSeconds`. The job of a killed process is detected by its missing heartbeat within 40 seconds.
const queueOptions = {
  retryLimit: 1_450,
  retryDelay: 1,
  retryBackoff: true,
  retryDelayMax: 300,
  retentionSeconds: 14 * 24 * 3_600,
  heartbeatSeconds: 20,
  deleteAfterSeconds: 3_600,
};

const bossOptions = { schema: 'jobs', schedule: false, superviseIntervalSeconds: 20, monitorIntervalSeconds: 20 };

// At most ten jobs a second in each process, so that mails do not slow down the shop under load.
const workOptions = { pollingIntervalSeconds: 1, batchSize: 10, perJobResults: true } as const;

// No retry is postponed by more than retryDelayMax. A heartbeat in the future hides that its process was killed.
const resumeJobs = `
  WITH queues AS (
    UPDATE jobs.queue SET monitor_claim_on = now(), maintain_on = now()
    WHERE greatest(monitor_claim_on, maintain_on) > now() + interval '1 minute')
  UPDATE jobs.job SET start_after = least(start_after, now()),
    heartbeat_on = CASE WHEN heartbeat_on > now() THEN now() ELSE heartbeat_on END
  WHERE greatest(start_after, heartbeat_on) > now() + interval '10 minutes'`;

const MAX_CONNECTIONS = 3;

const UNIQUE_VIOLATION = '23505';

const STOP_TIMEOUT_MS = 10_000;

/** Starts the job queue in the shop's own database, making its tables when they are missing. */
export async function startJobs(options: {
  connectionString: string;
  log: Pick<Logger, 'warn' | 'error'>;
  limits?: DatabaseLimits | undefined;
  watch?: PoolOptions['watch'];
  tracing?: Tracing;
}): Promise<Jobs> {
  const { tracing = noTracing } = options;
  let stopping = false;
  const pool = openPool(options.connectionString, {
    applicationName: 'kedai-jobs',
    maxConnections: MAX_CONNECTIONS,
    limits: options.limits,
    watch: options.watch,
    // While the shop stops, its PostgreSQL may end before the last connection is closed.
    onIdleError: (error) => stopping || reportError(new DatabaseUnavailable(error)),
  });
  const db = {
    executeSql: (text: string, values?: unknown[]) =>
      pool.query(text, values).catch((error: unknown) => {
        throw classifyError(error).error;
      }),
  };
  const boss = new PgBoss({ ...bossOptions, db });
  // Without a listener, a short outage of the database would end the process.
  boss.on('error', reportError);
  boss.on('warning', (warning) => options.log.warn({ warning: warning.message }, 'The job queue warns'));
  await boss.start().catch((error: unknown) => {
    // When several processes create the tables at once, all but one fail, and then the tables exist.
    if (errorCodeOf(error) !== UNIQUE_VIOLATION) throw error;
    return boss.start();
  });
  for (const { name, ...deadLetter } of queues) {
    await boss.createQueue(name, { ...queueOptions, ...deadLetter });
    await boss.updateQueue(name, { ...queueOptions, ...deadLetter });
  }

  return {
    enqueue: async (trx, queue, data, { priority = 0 } = {}) => {
      const traceparent = tracing.carry();
      const options = { db: fromKysely(trx), priority };
      await boss.send(queue, { ...data, ...(traceparent && { traceparent }) }, options);
    },
    work: async (queue, handler) => {
      await boss.work(queue, workOptions, async (jobs: Job<JobData[typeof queue] & { traceparent?: string }>[]) => {
        const results = [];
        for (const { id: jobId, data } of jobs) {
          const work = { name: `job ${queue}`, kind: 'consumer', parent: data.traceparent } as const;
          results.push(await attempt({ queue, jobId }, () => tracing.inSpan(work, () => handler(data))));
        }
        return results;
      });
    },
    resume: async () => {
      await db.executeSql(resumeJobs);
    },
    stop: async () => {
      stopping = true;
      await boss.stop({ graceful: true, timeout: STOP_TIMEOUT_MS });
      if (!pool.ending) await pool.end();
    },
  };

  // pg-boss also emits plain objects: the fields of the error, and the queue where it is known.
  function reportError(error: Error & { queue?: string }): void {
    const { queue, name, message: reason, stack } = error;
    const isTransient = name === DatabaseUnavailable.name;
    options.log.warn({ queue, reason, ...(!isTransient && { stack }) }, 'A job queue call failed; it is tried again');
  }

  async function attempt(job: { queue: QueueName; jobId: string }, run: () => Promise<void>) {
    try {
      await run();
      return { id: job.jobId, status: 'completed' } as const;
    } catch (error) {
      const failure = { reason: reasonOf(error), ...(!(error instanceof DatabaseUnavailable) && { err: error }) };
      options.log.warn({ ...job, ...failure }, 'A job failed and is tried again');
      return { id: job.jobId, status: 'failed' } as const;
    }
  }
}
