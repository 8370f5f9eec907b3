import { CallError } from '../../../lib/api-client.ts';

const BROKE_OFF = 'The download broke off. Please try again.';

/** Takes a file in, telling how many bytes have come, and gives it to the browser to keep. Throws CallError when it breaks off. */
export async function keepFile(
  response: Response,
  fallbackName: string,
  onProgress: (bytes: number) => void,
): Promise<void> {
  const pieces: BlobPart[] = [];
  let bytes = 0;
  const reader = response.body?.getReader();
  try {
    for (let piece = await reader?.read(); piece && !piece.done; piece = await reader?.read()) {
      pieces.push(piece.value);
      bytes += piece.value.length;
      onProgress(bytes);
    }
  } catch {
    throw new CallError(0, 'UNREACHABLE', BROKE_OFF);
  }
  const name = /filename="([^"]+)"/.exec(response.headers.get('content-disposition') ?? '')?.[1];
  const url = URL.createObjectURL(new Blob(pieces, { type: response.headers.get('content-type') ?? '' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name ?? fallbackName;
  link.click();
  // After the browser has taken it up.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
