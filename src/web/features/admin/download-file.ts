import { CallError } from '../../lib/api-client.ts';

/** Downloads a file, reports the bytes so far, and hands it to the browser. Throws CallError when the connection breaks. */
export async function downloadFile(
  response: Response,
  fallbackName: string,
  onProgress: (bytes: number) => void = () => undefined,
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
    throw new CallError(0, 'UNREACHABLE', 'The download broke off. Please try again.');
  }
  const name = /filename="([^"]+)"/.exec(response.headers.get('content-disposition') ?? '')?.[1];
  const url = URL.createObjectURL(new Blob(pieces, { type: response.headers.get('content-type') ?? '' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name ?? fallbackName;
  link.click();
  // Revoked later, because the browser reads the URL after the click.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
