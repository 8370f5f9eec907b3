import { ShieldCheck } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { plural } from '../../../shared/format.ts';
import type { DeliveredItems, DeliveredUnit } from '../../../shared/orders.ts';
import { Moment } from '../../lib/moment.tsx';
import { Badge, Callout, Card, Picture } from '../../ui/display.tsx';
import { activationFacts, LineFacts } from '../../ui/order-parts.tsx';
import { FileDownload, Secret, ShowAndCopy } from './item-content.tsx';

interface DeliveredProductProps {
  product: DeliveredItems['items'][number];
  /** Undefined if the order was opened by a mailed code. */
  orderId: string | undefined;
  belowItem: ((item: DeliveredUnit, label: string) => ReactNode) | undefined;
}

/** From how many secrets on one press shows or copies all of them. */
const MANY_SECRETS = 3;

/** Which secrets of a product are shown. The page has the contents already: showing them makes no call. */
function useShownSecrets(items: DeliveredUnit[]) {
  const secrets = items.flatMap(({ id, content }) => (content === null ? [] : [{ id, content }]));
  const [shown, setShown] = useState<readonly string[]>([]);
  const [pressesOfAll, setPressesOfAll] = useState(0);
  const isAllShown = secrets.every(({ id }) => shown.includes(id));
  const isMultiline = secrets.some(({ content }) => content.includes('\n'));
  return {
    of: (id: string) => ({
      shown: shown.includes(id),
      onToggle: () => setShown((ids) => (ids.includes(id) ? ids.filter((other) => other !== id) : [...ids, id])),
    }),
    all: secrets.length >= MANY_SECRETS && {
      count: secrets.length,
      shown: isAllShown,
      onToggle: () => {
        setShown(isAllShown ? [] : secrets.map(({ id }) => id));
        setPressesOfAll((presses) => presses + 1);
      },
      text: secrets.map(({ content }) => content).join(isMultiline ? '\n\n' : '\n'),
    },
    pressesOfAll,
  };
}

export function DeliveredProduct({ product, orderId, belowItem }: DeliveredProductProps) {
  const { quantity, returnedQuantity, deliveryInstructions, warranty, items } = product;
  const { of, all, pressesOfAll } = useShownSecrets(items);
  const numbers = [...items.map(({ number }) => number), ...product.returnedNumbers, ...product.waitingNumbers].sort(
    (one, other) => one - other,
  );
  const labelOf = ({ number }: DeliveredUnit) => `item ${number} of ${product.productName}`;
  return (
    <Card className="grid grid-cols-1 gap-5 p-5 sm:p-6">
      <div className="flex items-center gap-4">
        <Picture src={product.image} category={product.category} className="aspect-4/3 w-24 shrink-0 rounded-md" />
        <div className="grid min-w-0 gap-1.5">
          <h2 dir="auto" className="text-left text-lg wrap-anywhere">
            {product.productName}
          </h2>
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
          <p dir="auto" className="whitespace-pre-line wrap-anywhere text-muted">
            {deliveryInstructions}
          </p>
        </div>
      )}
      <LineFacts facts={[...activationFacts(product), ...product.answers]} />
      {all && (
        <div className="flex flex-wrap items-center justify-between gap-3 print:hidden">
          <p className="font-semibold">All {all.count} items</p>
          <ShowAndCopy {...all} label={`all ${all.count} items of ${product.productName}`} />
        </div>
      )}
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
              <DeliveredItem
                key={number}
                item={item}
                label={labelOf(item)}
                orderId={orderId}
                // A new live region is silent: else a screen reader would read all contents in a row.
                secret={
                  item.content !== null && (
                    <Secret key={pressesOfAll} content={item.content} label={labelOf(item)} {...of(item.id)} />
                  )
                }>
                {belowItem?.(item, labelOf(item))}
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

interface DeliveredItemProps extends Pick<DeliveredProductProps, 'orderId'> {
  item: DeliveredUnit;
  label: string;
  secret: ReactNode;
  children: ReactNode;
}

function DeliveredItem({ item, label, orderId, secret, children }: DeliveredItemProps) {
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
        <FileDownload item={item} label={label} file={file} orderId={orderId} />
      ) : (
        secret || (
          <Callout tone="danger">
            This item cannot be read. The shop has been told; contact support to have it replaced or refunded.
          </Callout>
        )
      )}
      {children}
    </li>
  );
}

/** Stands for a returned item, or one that a person still delivers, because the other items keep their numbers. */
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
