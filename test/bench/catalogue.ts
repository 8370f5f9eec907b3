import autocannon from 'autocannon';
import { startProcess } from '../processes.ts';
import { best, request, type Timings } from './http-load.ts';

const CONNECTIONS = 64;
const SECONDS = 6;
const ROUNDS = 3;

export interface Comparison {
  ours: Timings;
  bare: Timings;
  bodyBytes: number;
}

/**
 * Measures the catalogue's first page and a bare route with a body of the same size, in turns; returns the best rounds.
 */
export async function compareCatalogue(shopUrl: string): Promise<Comparison> {
  const listUrl = `${shopUrl}/api/digital-products`;
  const bodyBytes = Buffer.byteLength((await request(listUrl)).body);
  const bareServer = await startProcess(['test/bench/bare-server.ts', String(bodyBytes)], {});
  try {
    const ours = [];
    const bare = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      bare.push(await fire(bareServer.url));
      ours.push(await fire(listUrl));
    }
    return { ours: best(ours), bare: best(bare), bodyBytes };
  } finally {
    await bareServer.stop();
  }
}

async function fire(url: string): Promise<Timings> {
  const result = await autocannon({ url, connections: CONNECTIONS, duration: SECONDS });
  return {
    perSecond: result.requests.average,
    p50Ms: result.latency.p50,
    p99Ms: result.latency.p99,
    errors: result.errors + result.non2xx,
  };
}
