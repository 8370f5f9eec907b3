import { useMutation } from '@tanstack/react-query';
import { Download, Eye, EyeOff } from 'lucide-react';
import { fileTypeOf, formatBytes, formatMoment, plural } from '../../../shared/format.ts';
import { maskContent, readAccount } from '../../../shared/item-text.ts';
import type { DeliveredUnit } from '../../../shared/orders.ts';
import { call, messageOf } from '../../lib/api-client.ts';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy.tsx';
import { FormProblem } from '../../ui/form-page.tsx';

interface ShowAndCopyProps {
  shown: boolean;
  onToggle(): void;
  text: string;
  label: string;
}

export const ShowAndCopy = ({ shown, onToggle, text, label }: ShowAndCopyProps) => (
  <div className="flex flex-wrap gap-2">
    <Button icon={shown ? EyeOff : Eye} variant="secondary" onClick={onToggle}>
      {shown ? 'Hide' : 'Show'}
      <span className="sr-only">{label}</span>
    </Button>
    <CopyButton text={text} label={label} />
  </div>
);

interface SecretProps extends Pick<ShowAndCopyProps, 'shown' | 'onToggle'> {
  content: string;
  /** Which item it is, for the names of its buttons, e.g. `item 1 of Ember Reach`. */
  label: string;
}

/** A secret, masked until the buyer presses Show. An account then shows each of its fields. */
export function Secret({ content, label: item, shown, onToggle }: SecretProps) {
  const account = readAccount(content);
  const actions = <ShowAndCopy shown={shown} onToggle={onToggle} text={content} label={item} />;
  if (account && shown) {
    return (
      <div className="grid gap-3">
        <dl aria-live="polite" className="grid gap-3">
          {account.map(({ label, value }) => (
            <div key={label} className="grid gap-1">
              <dt className="text-sm font-semibold">{label}</dt>
              <dd className="flex flex-wrap items-center gap-3">
                <code className="min-h-11 min-w-0 flex-[1_1_12rem] content-center rounded-md bg-sunken px-3.5 py-2 font-mono break-all">
                  {value}
                </code>
                <CopyButton text={value} label={`${label.toLowerCase()} of ${item}`} />
              </dd>
            </div>
          ))}
        </dl>
        {actions}
      </div>
    );
  }
  return (
    <div className="flex flex-wrap items-center gap-3">
      <code
        aria-live="polite"
        className="min-h-11 min-w-0 flex-[1_1_16rem] content-center rounded-md bg-sunken px-3.5 py-2 font-mono break-all whitespace-pre-wrap">
        {shown ? content : maskContent(content)}
      </code>
      {actions}
    </div>
  );
}

interface FileDownloadProps {
  item: DeliveredUnit;
  label: string;
  file: NonNullable<DeliveredUnit['file']>;
  /** Undefined if the order was opened by a mailed code. */
  orderId: string | undefined;
}

export function FileDownload({ item, label, file, orderId }: FileDownloadProps) {
  const download = useMutation({
    mutationFn: () =>
      orderId === undefined
        ? call('POST /order-lookup/guest/download', { body: { itemId: item.id } })
        : call('POST /digital-orders/:orderId/items/:itemId/download', { params: { orderId, itemId: item.id } }),
    onSuccess: ({ data }) => startDownload(data.url),
  });
  const left = download.data ? download.data.data.downloadsLeft : file.downloadsLeft;
  const facts = [
    formatBytes(file.bytes),
    fileTypeOf(file.name),
    file.version > 1 && `Version ${file.version}`,
    left !== null && `${left} ${plural(left, 'download')} left`,
    file.until && `until ${formatMoment(file.until)}`,
  ].filter(Boolean);
  return (
    <div className="grid gap-3">
      <div className="flex flex-wrap items-center gap-3 rounded-md bg-sunken px-4 py-3">
        <div className="grid min-w-0 flex-[1_1_14rem] gap-0.5">
          <p className="font-semibold wrap-anywhere">{file.name}</p>
          <p className="tabular text-sm text-muted">{facts.join(' · ')}</p>
        </div>
        <Button icon={Download} loading={download.isPending} onClick={() => download.mutate()}>
          Download
          <span className="sr-only">{label}</span>
        </Button>
      </div>
      <p role="status" className="text-sm text-muted empty:hidden">
        {download.data &&
          `Your download begins. For 24 hours you can press Download again here, or go on after a lost connection; it counts once.`}
      </p>
      <FormProblem>{download.error && messageOf(download.error, 'The download could not be started')}</FormProblem>
    </div>
  );
}

/** Clicks a download link, so that the page stays open even if the shop refuses. */
function startDownload(url: string): void {
  const link = document.createElement('a');
  link.href = url;
  link.download = '';
  link.click();
}
