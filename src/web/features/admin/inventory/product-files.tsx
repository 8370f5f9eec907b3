import { FileUp } from 'lucide-react';
import { useState } from 'react';
import { formatBytes } from '../../../../shared/file-words.ts';
import type { FileVersion } from '../../../../shared/files.ts';
import { MAX_FILE_BYTES } from '../../../../shared/files.ts';
import type { AdminDigitalProduct } from '../../../../shared/products.ts';
import { call, messageOf } from '../../../lib/api-client.ts';
import { Moment } from '../../../lib/moment.tsx';
import { Badge } from '../../../ui/badge.tsx';
import { Button, FileButton } from '../../../ui/button.tsx';
import { EmptyState, Skeleton } from '../../../ui/card.tsx';
import { Checkbox } from '../../../ui/choice.tsx';
import { useUnsavedWork } from '../../../ui/dialog.tsx';
import { FieldFrame } from '../../../ui/field.tsx';
import { FormProblem } from '../../../ui/form-page.tsx';
import { useAdminData } from '../admin-queries.ts';
import { barClass } from './upload-bar.ts';
import { type FileUpload, useFileUpload } from './use-file-upload.ts';

interface ProductFilesProps {
  product: AdminDigitalProduct;
  onDone?: () => void;
}

/** The file of a product: its versions, of which buyers get the newest, and the upload of the next one. */
export function ProductFiles({ product: { _id: productId, name }, onDone }: ProductFilesProps) {
  const { data: versions, error } = useAdminData(
    ['files', productId],
    async () => (await call('GET /digital-products/:id/files', { params: { id: productId } })).data,
  );
  const [tellBuyers, setTellBuyers] = useState(false);
  const { upload, start, cancel } = useFileUpload(productId, () => {
    setTellBuyers(false);
    onDone?.();
  });
  useUnsavedWork(upload.step !== 'choosing');
  return (
    <div className="grid gap-5">
      <p className="-mt-3 font-semibold wrap-anywhere text-muted">{name}</p>
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
      <FormProblem>{error && messageOf(error, 'The versions could not be loaded')}</FormProblem>
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
  const isSending = upload.step === 'sending';
  const hint = isSending
    ? `${formatBytes(upload.sent)} of ${formatBytes(upload.of)} sent`
    : 'The shop checks the stored file.';
  return (
    <div className="grid gap-4">
      <FieldFrame label={isSending ? 'Uploading' : 'Checking the file'} hint={hint}>
        {({ id }) => (
          <progress id={id} {...(isSending && { value: upload.sent, max: upload.of })} className={barClass} />
        )}
      </FieldFrame>
      {isSending && (
        <Button variant="secondary" className="justify-self-end" onClick={onCancel}>
          Cancel the upload
        </Button>
      )}
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
