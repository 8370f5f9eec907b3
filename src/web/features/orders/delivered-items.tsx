import { useMutation } from '@tanstack/react-query';
import { Download, Eye, EyeOff, ShieldCheck } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { fileTypeOf, formatBytes, formatMoment, plural } from '../../../shared/format.ts';
import { maskContent, readAccount } from '../../../shared/item-text.ts';
import type { DeliveredItems } from '../../../shared/orders.ts';
import { call, messageOf } from '../../lib/api-client.ts';
import { Moment } from '../../lib/moment.tsx';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy.tsx';
import { Badge, Callout, Card, Picture } from '../../ui/display.tsx';
import { FormProblem } from '../../ui/form-page.tsx';
import { activationFacts, LineFacts } from '../../ui/order-parts.tsx';

interface DeliveredProductProps {
  product: DeliveredItems['items'][number];
  source: DownloadSource;
  belowItem: ((item: DeliveredUnit) => ReactNode) | undefined;
}

export function DeliveredProduct({ product, source, belowItem }: DeliveredProductProps) {
  const { quantity, returnedQuantity, deliveryInstructions, warranty, items } = product;
  const numbers = [...items.map(({ number }) => number), ...product.returnedNumbers, ...product.waitingNumbers].sort(
    (one, other) => one - other,
  );
  return (
    <Card className="grid grid-cols-1 gap-5 p-5 sm:p-6">
      <div className="flex items-center gap-4">
        <Picture src={product.image} category={product.category} className="aspect-4/3 w-24 shrink-0 rounded-md" />
        <div className="grid min-w-0 gap-1.5">
          <h2 className="text-lg wrap-anywhere">{product.productName}</h2>
          <p className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm text-muted">
            <Badge className="capitalize">{product.productType}</Badge>
            Quantity: {quantity}
            {returnedQuantity > 0 && <Badge tone="warning">{returnedQuantity} returned</Badge>}
          </p>
        </div>
      </div>
      {deliveryInstructions !== '' && (
        <div>
          <h3 className="text-sm tracking-normal">Delivery Instructions</h3>
          <p className="whitespace-pre-line wrap-anywhere text-muted">{deliveryInstructions}</p>
        </div>
      )}
      <LineFacts facts={[...activationFacts(product), ...product.answers]} />
      {items.length + product.waitingNumbers.length === 0 ? (
        <p className="rounded-md bg-sunken px-4 py-6 text-center text-muted">
          {returnedQuantity === quantity ? 'Returned for a refund.' : 'No items available. Please contact support.'}
        </p>
      ) : (
        <ol className="grid grid-cols-1 gap-3">
          {numbers.map((number) => {
            const isWaiting = product.waitingNumbers.includes(number);
            const item = isWaiting ? undefined : items.find((delivered) => delivered.number === number);
            return item ? (
              <DeliveredItem key={number} item={item} source={source}>
                {belowItem?.(item)}
              </DeliveredItem>
            ) : (
              <MissingItem key={number} number={number} isWaiting={isWaiting} />
            );
          })}
        </ol>
      )}
      {warranty > 0 && items.length > 0 && (
        <p className="flex items-center gap-2 text-sm text-muted">
          <ShieldCheck aria-hidden className="size-4 shrink-0 text-accent" />
          Warranty: {warranty} {plural(warranty, 'day')} from delivery. A faulty item is replaced.
        </p>
      )}
    </Card>
  );
}

interface DeliveredItemProps {
  item: DeliveredUnit;
  source: DownloadSource;
  children: ReactNode;
}

function DeliveredItem({ item, source, children }: DeliveredItemProps) {
  const { number, file } = item;
  return (
    <li className="grid grid-cols-1 gap-2 rounded-md border border-line p-4">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm">
        <span className="font-semibold">Item {number}</span>
        {item.isReplacement && <Badge tone="accent">Replacement</Badge>}
        {item.viewed && <Badge tone="info">{file ? 'Downloaded' : 'Viewed'}</Badge>}
        {file?.isNewVersion && <Badge tone="success">New version</Badge>}
        <span className="text-muted">
          Delivered <Moment at={item.deliveredAt} />
        </span>
      </div>
      {item.refusal ? (
        <Callout tone="warning">{item.refusal.message}</Callout>
      ) : file ? (
        <FileDownload item={item} file={file} source={source} />
      ) : item.content === null ? (
        <Callout tone="danger">
          This item cannot be read. The shop has been told; contact support to have it replaced or refunded.
        </Callout>
      ) : (
        <Secret content={item.content} number={number} />
      )}
      {children}
    </li>
  );
}

/** Keeps the number of an item that was returned, or that a person still has to deliver. */
const MissingItem = ({ number, isWaiting }: { number: number; isWaiting: boolean }) => (
  <li className="flex flex-wrap items-center gap-x-3 gap-y-1 rounded-md border border-dashed border-line p-4 text-sm">
    <span className="font-semibold">Item {number}</span>
    <span className="text-muted">
      {isWaiting
        ? 'Delivered by hand. We email you when it is ready.'
        : 'Returned for a refund, so it is no longer shown.'}
    </span>
  </li>
);

/** A secret, masked until the buyer presses Show. An account then shows each of its fields. */
function Secret({ content, number }: { content: string; number: number }) {
  const [shown, setShown] = useState(false);
  const account = readAccount(content);
  const actions = (
    <div className="flex flex-wrap gap-2">
      <Button icon={shown ? EyeOff : Eye} variant="secondary" onClick={() => setShown(!shown)}>
        {shown ? 'Hide' : 'Show'}
        <span className="sr-only">item {number}</span>
      </Button>
      <CopyButton text={content} label={`item ${number}`} />
    </div>
  );
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
                <CopyButton text={value} label={`${label.toLowerCase()} of item ${number}`} />
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

export type DeliveredUnit = DeliveredItems['items'][number]['items'][number];

/** How the order was opened: by its signed-in buyer, or by a mailed code. */
interface DownloadSource {
  orderId: string;
  byCode?: boolean;
}

interface FileDownloadProps {
  item: DeliveredUnit;
  file: NonNullable<DeliveredUnit['file']>;
  source: DownloadSource;
}

function FileDownload({ item, file, source: { orderId, byCode = false } }: FileDownloadProps) {
  const download = useMutation({
    mutationFn: () =>
      byCode
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
          <span className="sr-only">item {item.number}</span>
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
