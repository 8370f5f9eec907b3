import { FileUp } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import type { Api } from '../../../../shared/api.ts';
import { type FileVersion, MAX_FILE_BYTES } from '../../../../shared/delivery.ts';
import type { OutputOf } from '../../../../shared/endpoint.ts';
import { formatBytes } from '../../../../shared/format.ts';
import type { AdminDigitalProduct } from '../../../../shared/products.ts';
import { call, isTransient, messageOf, uploadFile } from '../../../lib/api-client.ts';
import { Moment } from '../../../lib/moment.tsx';
import { useToasts } from '../../../state/toasts.tsx';
import { Button, FileButton } from '../../../ui/button.tsx';
import { useUnsavedWork } from '../../../ui/dialog.tsx';
import { Badge, EmptyState, Skeleton } from '../../../ui/display.tsx';
import { FormProblem } from '../../../ui/form-page.tsx';
import { Checkbox, ProgressField } from '../../../ui/input.tsx';
import { LoadFailureBanner } from '../../../ui/loading.tsx';
import { useAdminData, useReloadDashboard } from '../dashboard.ts';

export function ProductFiles({ product, onDone }: { product: AdminDigitalProduct; onDone?(): void }) {
  const productId = product._id;
  const query = useAdminData(['files', productId], () =>
    call('GET /digital-products/:id/files', { params: { id: productId } }),
  );
  const { data: versions, error } = query;
  const [tellBuyers, setTellBuyers] = useState(false);
  const { upload, start, cancel } = useFileUpload(productId, () => {
    setTellBuyers(false);
    onDone?.();
  });
  useUnsavedWork(upload.step !== 'choosing');
  return (
    <div className="grid gap-5">
      <p className="-mt-3 font-semibold wrap-anywhere text-muted">{product.name}</p>
      {upload.step === 'choosing' ? (
        <div className="grid gap-3">
          {versions && versions.length > 0 && (
            <Checkbox checked={tellBuyers} onChange={({ target }) => setTellBuyers(target.checked)}>
              Tell the buyers by mail
            </Checkbox>
          )}
          <FileButton
            icon={FileUp}
            label="File to sell"
            accept=""
            className="justify-self-start"
            onChoose={(file) => void start(file, { tellBuyers })}>
            {versions?.length ? 'Upload a new version' : 'Upload the file'}
          </FileButton>
          <p className="text-sm text-muted">
            Up to {formatBytes(MAX_FILE_BYTES)}. It is kept encrypted. Everybody who bought the product gets the newest
            version.
          </p>
          <FormProblem>{upload.problem}</FormProblem>
        </div>
      ) : (
        <Progress upload={upload} onCancel={cancel} />
      )}
      {error && <LoadFailureBanner message={messageOf(error, 'The versions could not be loaded')} query={query} />}
      {!versions && !error && <Skeleton className="h-24" />}
      {versions?.length === 0 && upload.step === 'choosing' && (
        <EmptyState heading="h3" icon={FileUp} title="No file yet">
          The product is on sale once it has one.
        </EmptyState>
      )}
      <ol aria-label="Versions" className="grid gap-3 empty:hidden">
        {versions?.map((version) => (
          <Version key={version._id} version={version} />
        ))}
      </ol>
    </div>
  );
}

function Progress({ upload, onCancel }: { upload: Exclude<FileUpload, { step: 'choosing' }>; onCancel(): void }) {
  if (upload.step === 'publishing') {
    return <ProgressField label="Checking the file" hint="The shop checks the stored file." />;
  }
  const { sent, of, stopped } = upload;
  return (
    <div className="grid gap-4">
      <ProgressField
        value={sent}
        max={of}
        label={stopped ? 'Uploading has stopped' : 'Uploading'}
        error={stopped?.problem}
        hint={`${formatBytes(sent)} of ${formatBytes(of)} sent`}
      />
      <div className="flex flex-wrap justify-end gap-3">
        <Button variant="secondary" onClick={onCancel}>
          Cancel the upload
        </Button>
        {stopped && <Button onClick={stopped.tryAgain}>Try again</Button>}
      </div>
    </div>
  );
}

const Version = ({ version: { version, name, bytes, sha256, publishedAt, ...is } }: { version: FileVersion }) => (
  <li className="grid gap-1 rounded-md border border-line p-4">
    <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
      <span className="font-semibold wrap-anywhere">{name}</span>
      {is.isCurrent && <Badge tone="success">On sale</Badge>}
    </p>
    <p className="tabular text-sm text-muted">
      Version {version} · {formatBytes(bytes)} · <Moment at={publishedAt} />
      {is.tellsBuyers && ' · its buyers were notified'}
    </p>
    <p className="font-mono text-xs break-all text-muted">SHA-256 {sha256}</p>
  </li>
);

type FileUpload =
  | { step: 'choosing'; problem?: string }
  | { step: 'sending'; sent: number; of: number; stopped?: { problem: string; tryAgain(): void } }
  /** The shop reads the whole file back before it goes on sale. */
  | { step: 'publishing' };

const TRIES = 3;
const FAILED = 'The file could not be uploaded';
// Browsers compute SHA-256 only for pages that they consider secure.
const NOT_SECURE =
  'Your browser uploads files only over HTTPS, or at localhost. Please open the shop at its https:// address.';
const UNSURE = 'The shop did not say whether the file is on sale. Please look at its versions below.';

/**
 * Uploads a file in pieces, with retries of each piece, and publishes it. After a lost connection the user can go on
 * with the piece that failed. Leaving the screen abandons the upload.
 */
function useFileUpload(id: string, onDone?: () => void) {
  const [upload, setUpload] = useState<FileUpload>({ step: 'choosing' });
  const { show } = useToasts();
  const reloadDashboard = useReloadDashboard();
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);

  async function start(file: File, { tellBuyers }: { tellBuyers: boolean }) {
    if (!isSecureContext) {
      setUpload({ step: 'choosing', problem: NOT_SECURE });
      return;
    }
    const controller = new AbortController();
    running.current = controller;
    const isGivenUp = () => controller.signal.aborted;
    let begun: OutputOf<Api['POST /digital-products/:id/files']>['data'] | undefined;
    let sent = 0;
    const showSent = (stopped?: { problem: string; tryAgain(): void }) =>
      setUpload({ step: 'sending', sent, of: file.size, ...(stopped && { stopped }) });

    async function sendRest() {
      showSent();
      const body = { name: file.name, mediaType: file.type || 'application/octet-stream', bytes: file.size };
      begun ??= (await call('POST /digital-products/:id/files', { params: { id }, body })).data;
      const { _id: fileId, pieceBytes } = begun;
      for (; sent < file.size && !isGivenUp(); sent += pieceBytes) {
        showSent();
        const part = file.slice(sent, sent + pieceBytes, 'application/octet-stream');
        await sendPiece(part, { id, fileId, piece: sent / pieceBytes });
      }
      return fileId;
    }

    async function run() {
      let isPublishing = false;
      try {
        const fileId = await sendRest();
        if (isGivenUp()) return;
        setUpload({ step: 'publishing' });
        isPublishing = true;
        // A retry after a lost response publishes nothing a second time.
        const { data } = await repeated(() =>
          call('POST /digital-products/:id/files/:fileId/publish', { params: { id, fileId }, body: { tellBuyers } }),
        );
        show({ type: 'success', message: `Version ${data.version} of the file is on sale` });
        setUpload({ step: 'choosing' });
        await reloadDashboard();
        if (!isGivenUp()) onDone?.();
      } catch (failure) {
        if (isGivenUp()) return;
        const problem = messageOf(failure, FAILED);
        if (!isTransient(failure)) setUpload({ step: 'choosing', problem });
        else if (!isPublishing) showSent({ problem, tryAgain: () => void run() });
        else {
          setUpload({ step: 'choosing', problem: UNSURE });
          void reloadDashboard();
        }
      }
    }
    await run();
  }

  const cancel = () => {
    running.current?.abort();
    setUpload({ step: 'choosing' });
  };
  return { upload, start, cancel };
}

async function sendPiece(part: Blob, params: { id: string; fileId: string; piece: number }): Promise<void> {
  const query = { sha256: await hexHash(part) };
  await repeated(() => uploadFile('PUT /digital-products/:id/files/:fileId/pieces/:piece', part, { params, query }));
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
