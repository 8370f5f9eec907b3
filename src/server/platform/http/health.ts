import { setTimeout as wait } from 'node:timers/promises';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import { version } from '../version.ts';

/** Tells whether proxies should send requests to this process. */
export type Readiness = ReturnType<typeof createReadiness>;

interface ReadinessOptions {
  /** By name, in order. A check fails by resolving to false or by rejecting. */
  checks: Record<string, () => Promise<boolean>>;
  log: Pick<FastifyBaseLogger, 'info' | 'warn'>;
  /** The time after which a check has failed; set by tests. */
  checkLimitMs?: number;
}

/** Paths that only proxies and monitors request. */
export const probePaths: ReadonlySet<string> = new Set(['/healthz', '/readyz']);

const CACHE_MS = 1_000;
const CHECK_LIMIT_MS = 2_000;

/** Runs the checks on request, at most once a second and never concurrently, so that probes cause no load. */
export function createReadiness({ checks, log, checkLimitMs = CHECK_LIMIT_MS }: ReadinessOptions) {
  let draining = false;
  let cached: { failed: Promise<string | undefined>; validUntil: number } | undefined;
  let reported: string | undefined;

  // In sequence: without a database the other checks would fail, too.
  async function findFailed(): Promise<string | undefined> {
    for (const [name, check] of Object.entries(checks)) {
      const passed = check().catch((error: unknown) => {
        log.info({ err: error, check: name }, 'a readiness check failed');
        return false;
      });
      if (!(await Promise.race([passed, wait(checkLimitMs, false, { ref: false })]))) return name;
    }
    return undefined;
  }

  async function look(): Promise<string | undefined> {
    const failed = await findFailed();
    if (failed !== reported) {
      reported = failed;
      if (failed === undefined) log.info('ready again');
      else log.warn({ check: failed }, 'not ready');
    }
    return failed;
  }

  return {
    /** The name of the first check that fails; undefined when the process is ready. Cached for a second. */
    findFailed: async (): Promise<string | undefined> => {
      if (draining) return 'draining';
      if (cached === undefined || performance.now() > cached.validUntil) {
        const failed = look();
        const entry = { failed, validUntil: Number.POSITIVE_INFINITY };
        cached = entry;
        void failed.then(() => {
          entry.validUntil = performance.now() + CACHE_MS;
        });
      }
      return cached.failed;
    },
    isDraining: () => draining,
    /** Makes the process unready: from now on `/readyz` answers 503, and every response closes its connection. */
    startDraining: () => {
      draining = true;
    },
  };
}

/** `GET /healthz`: the process responds, with its version. `GET /readyz`: it can serve shoppers. Neither is limited, logged or cached. */
export function healthRoutes(app: FastifyInstance, readiness: Readiness): void {
  app.get('/healthz', (_request, reply) => reply.header('cache-control', 'no-store').send({ status: 'ok', version }));

  app.get('/readyz', async (_request, reply) => {
    const failed = await readiness.findFailed();
    return reply
      .status(failed === undefined ? 200 : 503)
      .header('cache-control', 'no-store')
      .send(failed === undefined ? { status: 'ready' } : { status: 'unavailable', failed });
  });
}
