import { useCallback, useEffect, useRef, useState } from 'react';
import { call, isTransient, messageOf, uploadFile } from '../../../lib/api-client.ts';
import { useToasts } from '../../../state/toasts.tsx';
import { useReloadDashboard } from '../admin-queries.ts';

export type FileUpload =
  | { step: 'choosing'; problem?: string }
  | { step: 'sending'; sent: number; of: number }
  /** The shop reads the file back before it is sold. */
  | { step: 'publishing' };

const TRIES = 3;
const FAILED = 'The file could not be uploaded';
const UNSURE = 'The shop did not say whether the file is on sale. Please look at its versions below.';

/** Uploads a file in pieces, with retries of each piece, and publishes it. Leaving the screen abandons the upload. */
export function useFileUpload(productId: string, onDone?: () => void) {
  const [upload, setUpload] = useState<FileUpload>({ step: 'choosing' });
  const { show } = useToasts();
  const reloadDashboard = useReloadDashboard();
  const run = useRef(0);
  // Abandons the current run: a run stops once `run.current` is no longer its own number.
  const giveUp = useCallback(() => {
    run.current += 1;
  }, []);
  useEffect(() => giveUp, [giveUp]);

  /** Uploads and publishes `file`. With `tellBuyers`, buyers who have an earlier version get a mail. */
  async function start(file: File, { tellBuyers }: { tellBuyers: boolean }) {
    run.current += 1;
    const own = run.current;
    const isGivenUp = () => run.current !== own;
    const params = { id: productId };
    let isPublishing = false;
    try {
      setUpload({ step: 'sending', sent: 0, of: file.size });
      const mediaType = file.type || 'application/octet-stream';
      const body = { name: file.name, mediaType, bytes: file.size };
      const {
        _id: fileId,
        pieces,
        pieceBytes,
      } = (await call('POST /digital-products/:id/files', { params, body })).data;
      for (let piece = 0; piece < pieces && !isGivenUp(); piece += 1) {
        const part = file.slice(piece * pieceBytes, (piece + 1) * pieceBytes, 'application/octet-stream');
        const query = { sha256: await hexHash(part) };
        await repeated(() =>
          uploadFile('PUT /digital-products/:id/files/:fileId/pieces/:piece', part, {
            params: { ...params, fileId, piece },
            query,
          }),
        );
        if (!isGivenUp())
          setUpload({ step: 'sending', sent: Math.min(file.size, (piece + 1) * pieceBytes), of: file.size });
      }
      if (isGivenUp()) return;
      setUpload({ step: 'publishing' });
      isPublishing = true;
      // A retry after a lost response publishes nothing a second time.
      const { data } = await repeated(() =>
        call('POST /digital-products/:id/files/:fileId/publish', {
          params: { ...params, fileId },
          body: { tellBuyers },
        }),
      );
      show({ type: 'success', message: `Version ${data.version} of the file is on sale` });
      setUpload({ step: 'choosing' });
      await reloadDashboard();
      if (!isGivenUp()) onDone?.();
    } catch (failure) {
      if (isGivenUp()) return;
      const isUnsure = isPublishing && isTransient(failure);
      setUpload({ step: 'choosing', problem: isUnsure ? UNSURE : messageOf(failure, FAILED) });
      if (isUnsure) void reloadDashboard();
    }
  }

  const cancel = () => {
    giveUp();
    setUpload({ step: 'choosing' });
  };
  return { upload, start, cancel };
}

async function repeated<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (failure) {
      if (tries === TRIES || !isTransient(failure)) throw failure;
    }
  }
}

async function hexHash(part: Blob): Promise<string> {
  const hash = await crypto.subtle.digest('SHA-256', await part.arrayBuffer());
  return Array.from(new Uint8Array(hash), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
