/** A sample of `/metrics`, such as `kedai_orders_total{state="fulfilled"} 3`. */
export interface Sample {
  name: string;
  labels: Record<string, string>;
  value: number;
}

export async function readMetrics(url: string | undefined): Promise<{ text: string; samples: Sample[] }> {
  const response = await fetch(url ?? 'missing');
  if (response.status !== 200) throw new Error(`The metrics answered ${response.status}`);
  const text = await response.text();
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return { text, samples: lines.map(parse) };
}

function parse(line: string): Sample {
  const {
    name = '',
    labels = '',
    value,
  } = /^(?<name>\w+)(?:\{(?<labels>.*)\})? (?<value>\S+)$/.exec(line)?.groups ?? {};
  const pairs = [...labels.matchAll(/(?<key>\w+)="(?<text>[^"]*)"/g)];
  return {
    name,
    labels: Object.fromEntries(pairs.map(({ groups }) => [groups?.['key'] ?? '', groups?.['text'] ?? ''])),
    value: Number(value),
  };
}

/** Returns the sum of the samples with this name and these labels; undefined if there are none. */
export function sampleValue(samples: Sample[], name: string, labels: Record<string, string> = {}): number | undefined {
  const found = samples.filter(
    (one) => one.name === name && Object.entries(labels).every(([key, text]) => one.labels[key] === text),
  );
  return found.length === 0 ? undefined : found.reduce((sum, { value }) => sum + value, 0);
}
