import http from 'node:http';

export interface Timings {
  perSecond: number;
  p50Ms: number;
  p99Ms: number;
  errors: number;
}

/** Returns the fastest round, which was disturbed least. For rounds that alternate with those of something else. */
export function best(rounds: Timings[]): Timings {
  return rounds.reduce((most, round) => (round.perSecond > most.perSecond ? round : most));
}

/** Runs `work` in `workers` concurrent loops for `seconds`; a call that throws counts as an error. */
export async function measure(
  { workers, seconds }: { workers: number; seconds: number },
  work: (worker: number) => Promise<void>,
): Promise<Timings> {
  const durations: number[] = [];
  let errors = 0;
  const end = performance.now() + seconds * 1000;
  const started = performance.now();

  async function loop(worker: number): Promise<void> {
    while (performance.now() < end) {
      const begun = performance.now();
      try {
        await work(worker);
        durations.push(performance.now() - begun);
      } catch (error) {
        errors += 1;
        if (errors === 1) console.error('first error:', error);
      }
    }
  }

  await Promise.all(Array.from({ length: workers }, (_, worker) => loop(worker)));
  const elapsedSeconds = (performance.now() - started) / 1000;
  durations.sort((a, b) => a - b);
  const percentile = (share: number) =>
    durations[Math.min(durations.length - 1, Math.floor(durations.length * share))] ?? 0;
  return { perSecond: durations.length / elapsedSeconds, p50Ms: percentile(0.5), p99Ms: percentile(0.99), errors };
}

const agent = new http.Agent({ keepAlive: true, maxSockets: 64 });

export interface Reply {
  status: number;
  headers: http.IncomingHttpHeaders;
  body: string;
}

/** Sends one request over a kept connection; node:http takes less time of the shared cores than fetch() does. */
export function request(
  url: string,
  { method = 'GET', headers = {}, body }: { method?: string; headers?: Record<string, string>; body?: string } = {},
): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const call = http.request(url, { method, headers, agent }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: Buffer.concat(chunks).toString(),
        }),
      );
    });
    call.on('error', reject);
    call.end(body);
  });
}

/** Returns the JSON of a successful answer; throws on any other. */
export async function requestJson<T>(
  url: string,
  options: Parameters<typeof request>[1],
): Promise<{ json: T; headers: Reply['headers'] }> {
  const reply = await request(url, options);
  if (reply.status >= 300)
    throw new Error(`${options?.method ?? 'GET'} ${url} answered ${reply.status}: ${reply.body}`);
  return { json: JSON.parse(reply.body) as T, headers: reply.headers };
}
