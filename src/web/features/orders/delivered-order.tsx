import { LifeBuoy, PackageOpen, ShieldAlert, ShieldCheck } from 'lucide-react';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { orderNumber, plural } from '../../../shared/format.ts';
import type { DeliveredItems } from '../../../shared/orders.ts';
import type { ProblemReport } from '../../../shared/problem-reports.ts';
import { Moment } from '../../lib/moment.tsx';
import { Badge, Callout, Card, EmptyState, Picture } from '../../ui/display.tsx';
import { activationFacts, LineFacts } from '../../ui/order-parts.tsx';
import { type DeliveredUnit, type DownloadSource, FileDownload, Secret } from './item-content.tsx';
import { isWhollyRefunded } from './order-card.tsx';
import { ItemReports, ReportList, ReportsFailure, type useProblemReports } from './problem-reports.tsx';

interface DeliveredGoodsProps {
  order: DeliveredItems;
  /** Only for a signed-in buyer. */
  reports?: ReturnType<typeof useProblemReports>;
  /** The order was opened by a mailed code, without a session. */
  byCode?: boolean;
}

/** The items of a delivered order, a warning to keep them secret, and where to get help. */
export function DeliveredGoods({ order, reports, byCode = false }: DeliveredGoodsProps) {
  const isShown = ({ item }: ProblemReport) =>
    order.items.some(({ line, items }) => line === item.line && items.some(({ number }) => number === item.number));
  const earlier = reports?.data?.reports.filter((report) => !isShown(report)) ?? [];
  return (
    <>
      {!isWhollyRefunded(order) && (
        <Callout tone="warning" icon={ShieldAlert}>
          Keep these items to yourself. Anybody who sees a key or a password can use it, and we never ask you for them.
        </Callout>
      )}
      {order.items.length === 0 ? (
        <EmptyState icon={PackageOpen} title="No items available. Please contact support." />
      ) : (
        order.items.map((product) => (
          <DeliveredProduct
            key={product.items[0]?.id ?? product.productName}
            product={product}
            source={{ orderId: order.orderId, byCode }}
            belowItem={
              reports &&
              ((item) => <ItemReports orderId={order.orderId} data={reports.data} line={product.line} item={item} />)
            }
          />
        ))
      )}
      {reports && <ReportsFailure query={reports} />}
      <ReportList reports={earlier} />
      <section aria-labelledby="need-help" className="flex gap-4 rounded-lg bg-accent-soft p-5 text-accent-ink">
        <LifeBuoy aria-hidden className="size-6 shrink-0" />
        <div className="grid gap-1">
          <h2 id="need-help" className="text-lg">
            Need Help?
          </h2>
          <p>
            {reports
              ? 'If an item under warranty does not work, report the problem below it. For anything else,'
              : 'If an item does not work, sign in and report the problem on this order’s page, or'}{' '}
            <Link to="/info/support" className="font-semibold underline">
              contact support
            </Link>{' '}
            and name your order, #{orderNumber(order.orderId)}. Never send the item itself.
          </p>
        </div>
      </section>
    </>
  );
}

interface DeliveredProductProps {
  product: DeliveredItems['items'][number];
  source: DownloadSource;
  belowItem: ((item: DeliveredUnit) => ReactNode) | undefined;
}

function DeliveredProduct({ product, source, belowItem }: DeliveredProductProps) {
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

/**
 * Replaces an item that a person still has to deliver, or that was returned, because the other items keep their
 * numbers.
 */
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
