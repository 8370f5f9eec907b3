import { createHash } from 'node:crypto';
import { get } from 'node:http';
import type { Started } from './processes.ts';
import { askForDownload, buyFile, makeFileProduct } from './product-files.ts';
import type { OpenShop } from './purchases.ts';

const SAMPLE_MS = 25;

/**
 * The shop process's memory in MB: at first, and at most during the upload and the downloads; seconds of the downloads.
 */
export interface DownloadLoad {
  beforeMb: number;
  uploadingMb: number;
  downloadingMb: number;
  seconds: number;
}

/** Uploads a file of `bytes` bytes, sells it to `buyers` buyers, and lets all of them download it at the same time. */
export async function measureDownloads(
  { deps, residentMb, url }: OpenShop & Pick<Started, 'residentMb'>,
  { bytes, buyers }: { bytes: number; buyers: number },
): Promise<DownloadLoad> {
  const shop = { deps, url };
  const beforeMb = residentMb() ?? 0;
  const { result: sold, peakMb: uploadingMb } = await peakOf(residentMb, () => makeFileProduct(shop, { bytes }));
  const grants: { url: string; cookie: string }[] = [];
  for (let n = 0; n < buyers; n += 1) {
    const { buyer, ...bought } = await buyFile(shop, sold.product);
    grants.push(await askForDownload(buyer, bought));
  }
  const hash = createHash('sha256').update(sold.content).digest('hex');
  const started = performance.now();
  const { result: hashes, peakMb: downloadingMb } = await peakOf(residentMb, () =>
    Promise.all(grants.map((grant) => hashOfDownload(url, grant))),
  );
  const seconds = (performance.now() - started) / 1_000;
  if (hashes.some((other) => other !== hash)) throw new Error('A buyer got another file');
  return { beforeMb, uploadingMb, downloadingMb, seconds };
}

async function peakOf<T>(residentMb: Started['residentMb'], work: () => Promise<T>) {
  let peakMb = 0;
  const sample = () => {
    peakMb = Math.max(peakMb, residentMb() ?? 0);
  };
  const timer = setInterval(sample, SAMPLE_MS);
  try {
    const result = await work();
    sample();
    return { result, peakMb };
  } finally {
    clearInterval(timer);
  }
}

const hashOfDownload = (shopUrl: string, { url, cookie }: { url: string; cookie: string }) =>
  new Promise<string>((resolve, reject) => {
    const hash = createHash('sha256');
    get(`${shopUrl}${url}`, { headers: { cookie } }, (response) => {
      response.on('data', (part: Buffer) => hash.update(part));
      response.on('error', reject);
      response.on('end', () => resolve(hash.digest('hex')));
    }).on('error', reject);
  });
