import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { errorCodeOf, refuseHost, StartError } from '../system-errors.ts';
import { version } from '../version.ts';
import { countedStates, findings, type Metrics, mailOutcomes, type PoolUse, type ShopFigures } from './metrics.ts';

/** Values that are read at each scrape. */
interface ScrapeSources {
  /** Rejects when the database is away or slow. */
  readFigures(): Promise<ShopFigures>;
  isReady(): Promise<boolean>;
  /** Returns the machine's clock minus that of the database; undefined if the database's clock is not used. */
  clockSkewMs(): number | undefined;
}

const usd = { currency: 'usd' };
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** The metrics of one process in Prometheus's format (docs/operations.md). deploy/monitoring uses their names. */
export function createPrometheus() {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const { counter, gauge } = instrumentsOf(registry);
  const build = gauge('kedai_build_info', 'Always 1; the version of the shop and of Node', ['version', 'node']);
  build.set({ version, node: process.versions.node }, 1);
  const pools = new Map<string, PoolUse>();
  const connections = gauge('kedai_database_connections', 'Connections of a pool: busy, idle, and callers that wait', [
    'pool',
    'state',
  ]);
  const maxConnections = gauge('kedai_database_connections_max', 'The size of a pool', ['pool']);
  const ready = gauge('kedai_ready', '1 when /readyz answers 200');
  const skew = gauge('kedai_clock_skew_seconds', 'The clock of this machine minus that of the database');
  const errors = counter('kedai_metrics_scrape_errors_total', 'Scrapes without the figures of the database', []);
  const figureGauges = createFigureGauges();
  const metrics: Metrics = { ...createEventMetrics(registry), pool: (name, pool) => pools.set(name, pool) };

  function showPools(): void {
    for (const [pool, { totalCount, idleCount, waitingCount, options }] of pools) {
      connections.set({ pool, state: 'busy' }, totalCount - idleCount);
      connections.set({ pool, state: 'idle' }, idleCount);
      connections.set({ pool, state: 'waiting' }, waitingCount);
      maxConnections.set({ pool }, options.max);
    }
  }

  /** Returns all metrics as text. Without the database, its figures are missing, and the scrape counts as an error. */
  async function scrape({ readFigures, isReady, clockSkewMs }: ScrapeSources): Promise<string> {
    const [figures, isReadyNow] = await Promise.all([readFigures().catch(() => undefined), isReady()]);
    if (!figures) errors.inc();
    ready.set(isReadyNow ? 1 : 0);
    const skewMs = clockSkewMs();
    if (skewMs !== undefined) skew.set(skewMs / 1_000);
    showPools();
    return `${await registry.metrics()}${figures ? await figureGauges.show(figures) : ''}`;
  }

  const names = () =>
    [registry, figureGauges.registry].flatMap((one) => one.getMetricsAsArray().map(({ name }) => name));
  return { metrics, scrape, contentType: registry.contentType, names };
}

export type Prometheus = ReturnType<typeof createPrometheus>;

function instrumentsOf(registry: Registry) {
  const registers = [registry];
  return {
    counter: <L extends string>(name: string, help: string, labelNames: L[]) =>
      new Counter({ name, help, labelNames, registers }),
    gauge: <L extends string>(name: string, help: string, labelNames: L[] = []) =>
      new Gauge({ name, help, labelNames, registers }),
    histogram: <L extends string>(name: string, help: string, buckets: number[], labelNames: L[] = []) =>
      new Histogram({ name, help, buckets, labelNames, registers }),
  };
}

function createEventMetrics(registry: Registry): Omit<Metrics, 'pool'> {
  const { counter, gauge, histogram } = instrumentsOf(registry);
  const requests = histogram(
    'kedai_http_request_duration_seconds',
    'Requests by method, route template and class of status; those that were turned away (503) also by code',
    [0.005, 0.025, 0.1, 0.5, 2, 10],
    ['method', 'route', 'status', 'code'],
  );
  const orders = counter('kedai_orders_total', 'Orders that entered a state', ['state']);
  const captured = counter('kedai_captured_minor_units_total', 'Money of delivered orders', ['currency']);
  const refunded = counter('kedai_refunded_minor_units_total', 'Money given back by finished refunds', ['currency']);
  const settled = histogram(
    'kedai_settle_duration_seconds',
    'Time from the authorisation of the card (in whole seconds of the provider) to the delivery',
    [1, 2, 5, 15, 30, 60, 120, 300, 900],
  );
  const swept = counter('kedai_sweeper_orders_total', 'Orders that the sweeper visited, by what it did', ['finding']);
  const provider = histogram(
    'kedai_provider_call_duration_seconds',
    'Calls of the payment provider by call and outcome',
    [0.05, 0.2, 0.5, 1, 3, 10, 30],
    ['call', 'outcome'],
  );
  const mails = counter('kedai_mails_total', 'Mails by outcome', ['outcome']);
  const loopRuns = counter('kedai_loop_runs_total', 'Runs of background loops', ['loop', 'outcome']);
  const loopDone = gauge(
    'kedai_loop_last_done_timestamp_seconds',
    'Time of the last success of a loop, or of its start',
    ['loop'],
  );
  // Initialised, because rate() misses the first event of a counter that appears with it.
  for (const state of countedStates) orders.inc({ state }, 0);
  for (const money of [captured, refunded]) money.inc(usd, 0);
  for (const finding of findings) swept.inc({ finding }, 0);
  for (const outcome of mailOutcomes) mails.inc({ outcome }, 0);

  return {
    request: ({ method, route = 'none', status, code = '', seconds }) => {
      const known = METHODS.has(method) ? method : 'other';
      requests.observe({ method: known, route, status: `${Math.floor(status / 100)}xx`, code }, seconds);
    },
    order: (state) => orders.inc({ state }),
    captured: (cents) => captured.inc(usd, cents),
    refunded: (cents) => refunded.inc(usd, cents),
    settled: (seconds) => settled.observe(Math.max(0, seconds)),
    swept: (finding) => swept.inc({ finding }),
    providerCall: (call, outcome, seconds) => provider.observe({ call, outcome }, seconds),
    mail: (outcome) => mails.inc({ outcome }),
    loop: (loop, outcome) => {
      if (outcome !== 'started') loopRuns.inc({ loop, outcome });
      if (outcome !== 'failed') loopDone.setToCurrentTime({ loop });
    },
  };
}

/** Creates gauges for figures of the database. Each process reports the same: read them by `max`, not by a sum. */
function createFigureGauges() {
  const registry = new Registry();
  const { gauge } = instrumentsOf(registry);
  const unfinished = gauge('kedai_unfinished_orders', 'Orders that the sweeper has to visit, by state', ['state']);
  const waitingRefund = gauge(
    'kedai_oldest_waiting_refund_seconds',
    'Age of the oldest refund that the provider has not accepted',
  );
  const sweeperLag = gauge('kedai_sweeper_lag_seconds', 'For how long an order has waited for the sweeper');
  const capturing = gauge('kedai_oldest_capturing_order_seconds', 'Age of the oldest order that is being captured');
  const held = gauge('kedai_held_units', 'Units of goods held for unpaid orders');
  const alerts = gauge('kedai_open_alerts', 'Open alerts on the dashboard', ['kind']);
  const waiting = gauge('kedai_jobs_waiting', 'Jobs that are not done', ['queue']);
  const jobLag = gauge('kedai_job_lag_seconds', 'Age of the oldest job that is not done, without mass mail', ['queue']);

  function show(figures: ShopFigures): Promise<string> {
    registry.resetMetrics();
    for (const state of ['pending', 'capturing', 'refunding']) unfinished.set({ state }, 0);
    for (const [state, count] of Object.entries(figures.unfinishedOrders)) unfinished.set({ state }, count);
    for (const [kind, count] of Object.entries(figures.alerts)) alerts.set({ kind }, count);
    for (const [queue, job] of Object.entries(figures.jobs)) {
      waiting.set({ queue }, job.waiting);
      jobLag.set({ queue }, job.lagSeconds);
    }
    waitingRefund.set(figures.oldestWaitingRefundSeconds);
    sweeperLag.set(figures.sweeperLagSeconds);
    capturing.set(figures.oldestCapturingSeconds);
    held.set(figures.heldUnits);
    return registry.metrics();
  }

  return { show, registry };
}

/** Answers `GET /metrics` on a listener of its own, which shoppers cannot reach. Throws a StartError for a port in use. */
export async function serveMetrics(
  { scrape, contentType }: Prometheus,
  { port, host, ...sources }: ScrapeSources & { port: number; host: string },
) {
  const server = createServer((request, response) => {
    const isMetrics = request.url?.split('?')[0] === '/metrics' && /^(GET|HEAD)$/.test(request.method ?? '');
    if (!isMetrics) {
      response.writeHead(404).end();
      return;
    }
    scrape(sources).then(
      (text) => response.writeHead(200, { 'content-type': contentType, 'cache-control': 'no-store' }).end(text),
      () => response.writeHead(500).end(),
    );
  });
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (error) {
    refuseHost(error, 'METRICS_HOST', host);
    const problem = `cannot be opened on ${host} (${errorCodeOf(error)}): choose another`;
    throw new StartError(`METRICS_PORT ${port} ${problem}`, { cause: error });
  }
  const { port: opened } = server.address() as AddressInfo;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${opened}/metrics`,
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
