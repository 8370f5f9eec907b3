import { fromKysely, type Job, PgBoss } from 'pg-boss';
import type { Logger } from 'pino';
import { type DatabaseLimits, openPool } from '../database/connections.ts';
import { classifyError, DatabaseUnavailable, reasonOf } from '../database/database-errors.ts';
import type { Transaction } from '../database/open-database.ts';

/** Every queue of the shop and what its jobs carry: ids only, so that no job holds what may not be kept. */
export interface JobData {
  'send-mail': { mailId: string };
}
export type QueueName = keyof JobData;

/** Work that must happen after a transaction and outlives the process that asked for it. */
export interface Jobs {
  /** Part of the caller's transaction: the job exists exactly when that commits. */
  enqueue<Q extends QueueName>(trx: Transaction, queue: Q, data: JobData[Q]): Promise<void>;
  /** Runs the queue's jobs in this process. A handler that throws is called again later, so it must bear repetition. */
  work<Q extends QueueName>(queue: Q, handler: (data: JobData[Q]) => Promise<void>): Promise<void>;
  /** Lets running handlers finish, for at most ten seconds; what is left is run again by another process. */
  stop(): Promise<void>;
}

const queues: QueueName[] = ['send-mail'];

// A mail server may be away for days: after a minute of quick attempts, one every five minutes for five days. A job of
// a process that died is noticed by its missing heartbeat within 40 seconds.
const queueOptions = {
  retryLimit: 1_450,
  retryDelay: 1,
  retryBackoff: true,
  retryDelayMax: 300,
  retentionSeconds: 6 * 24 * 3_600,
  heartbeatSeconds: 20,
  deleteAfterSeconds: 3_600,
};

const bossOptions = { schema: 'jobs', schedule: false, superviseIntervalSeconds: 20, monitorIntervalSeconds: 20 };

// Ten jobs a second at most in each process: in a rush, what can wait leaves the machine to the shoppers.
const workOptions = { pollingIntervalSeconds: 1, batchSize: 10, perJobResults: true } as const;

const MAX_CONNECTIONS = 3;

const UNIQUE_VIOLATION = '23505';

const STOP_TIMEOUT_MS = 10_000;

/** Starts the job queue in the shop's own database, making its tables when they are missing. */
export async function startJobs(options: {
  connectionString: string;
  log: Pick<Logger, 'warn' | 'error'>;
  /** Shorter ones in tests of a database that is silent. */
  limits?: DatabaseLimits | undefined;
}): Promise<Jobs> {
  const pool = openPool(options.connectionString, {
    applicationName: 'kedai-jobs',
    maxConnections: MAX_CONNECTIONS,
    limits: options.limits,
    onIdleError: (error) => reportError(new DatabaseUnavailable(error)),
  });
  const db = {
    executeSql: (text: string, values?: unknown[]) =>
      pool.query(text, values).catch((error: unknown) => {
        throw classifyError(error).error;
      }),
  };
  const boss = new PgBoss({ ...bossOptions, db });
  // Without a listener, a database that goes away for a moment would end the process.
  boss.on('error', reportError);
  boss.on('warning', (warning) => options.log.warn({ warning: warning.message }, 'The job queue warns'));
  await boss.start().catch((error: unknown) => {
    // Of processes that make the tables at the same moment, all but one are refused, and find them made.
    if ((error as { code?: unknown }).code !== UNIQUE_VIOLATION) throw error;
    return boss.start();
  });
  for (const queue of queues) {
    await boss.createQueue(queue, queueOptions);
    await boss.updateQueue(queue, queueOptions);
  }

  return {
    enqueue: async (trx, queue, data) => {
      await boss.send(queue, data, { db: fromKysely(trx) });
    },
    work: async (queue, handler) => {
      await boss.work(queue, workOptions, async (jobs: Job<JobData[typeof queue]>[]) => {
        const results = [];
        for (const job of jobs) results.push(await attempt({ queue, jobId: job.id }, () => handler(job.data)));
        return results;
      });
    },
    stop: async () => {
      await boss.stop({ graceful: true, timeout: STOP_TIMEOUT_MS });
      if (!pool.ending) await pool.end();
    },
  };

  // pg-boss hands on plain objects, too: the fields of the error, and the queue where it knows one.
  function reportError(error: Error & { queue?: string }): void {
    const { queue, name, message: reason, stack } = error;
    const isPassing = name === DatabaseUnavailable.name;
    options.log.warn({ queue, reason, ...(!isPassing && { stack }) }, 'A job queue call failed; it is tried again');
  }

  async function attempt(job: { queue: QueueName; jobId: string }, run: () => Promise<void>) {
    try {
      await run();
      return { id: job.jobId, status: 'completed' } as const;
    } catch (error) {
      const isPassing = error instanceof DatabaseUnavailable;
      options.log.warn(
        { ...job, reason: reasonOf(error), ...(!isPassing && { err: error }) },
        'A job failed and is tried again',
      );
      return { id: job.jobId, status: 'failed' } as const;
    }
  }
}
