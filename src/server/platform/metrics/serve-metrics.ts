import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { errorCodeOf } from '../caught-errors.ts';
import { StartError } from '../start-error.ts';
import type { Prometheus, ScrapeSources } from './prometheus.ts';

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
