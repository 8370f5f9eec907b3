import type { FastifyBaseLogger } from 'fastify';
import type { Config } from './config.ts';
import { createFigureReader } from './features/monitoring/shop-figures.queries.ts';
import type { DatabaseLimits } from './platform/database/connections.ts';
import { type DatabaseOptions, openDatabase } from './platform/database/open-database.ts';
import type { Readiness } from './platform/http/health.ts';
import { noMetrics, type PoolUse } from './platform/metrics/metrics.ts';
import { serveMetrics } from './platform/metrics/prometheus.ts';
import { type EndedStatement, noTracing } from './platform/tracing/tracing.ts';

// Metrics must respond before Prometheus's timeout of 10 s, and must not hold a connection for long.
const scrapeLimits: DatabaseLimits = { connectMs: 1_500, waitMs: 2_000, statementMs: 1_500, answerMs: 2_000 };

const LOGGED_CHARACTERS = 2_000;

/** Opens metrics, traces and the log of slow statements. Loads their libraries only if they are enabled. */
export async function openMonitoring(config: Config, log: FastifyBaseLogger) {
  const { metricsPort: port, metricsHost: host, slowQueryMs } = config;
  const prometheus =
    port === undefined ? undefined : (await import('./platform/metrics/prometheus.ts')).createPrometheus();
  const metrics = prometheus?.metrics ?? noMetrics;
  const tracing = config.tracing
    ? (await import('./platform/tracing/open-telemetry.ts')).createOpenTelemetry(config.tracing, log)
    : noTracing;

  function onStatement(ended: EndedStatement): void {
    tracing.statement(ended);
    if (slowQueryMs === 0 || ended.ms < slowQueryMs) return;
    const statement = ended.text.replaceAll(/\s+/g, ' ').trim().slice(0, LOGGED_CHARACTERS);
    log.warn({ statement, ms: Math.round(ended.ms) }, 'slow statement');
  }

  return {
    metrics,
    tracing,
    /** Returns a function that reports the use of a pool. */
    watch: (name: string) => (pool: PoolUse) => metrics.pool(name, pool),
    onStatement: slowQueryMs > 0 || config.tracing ? onStatement : undefined,
    /** Answers `/metrics` from now on; undefined without METRICS_PORT. */
    async serve(
      connectionString: string,
      parts: { access: DatabaseOptions; readiness: Readiness; clockSkewMs: () => number | undefined },
    ) {
      if (!prometheus || port === undefined) return undefined;
      const db = openDatabase(connectionString, { ...parts.access, maxConnections: 1, limits: scrapeLimits });
      try {
        const server = await serveMetrics(prometheus, {
          port,
          host,
          readFigures: createFigureReader(db),
          isReady: async () => (await parts.readiness.findFailed()) === undefined,
          clockSkewMs: parts.clockSkewMs,
        });
        return { url: server.url, stop: () => Promise.all([server.stop(), db.destroy()]) };
      } catch (error) {
        await db.destroy();
        throw error;
      }
    },
  };
}
