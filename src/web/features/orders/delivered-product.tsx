import { ShieldCheck } from 'lucide-react';
import type { DeliveredItems } from '../../../shared/orders.ts';
import { Badge } from '../../ui/badge.tsx';
import { Card } from '../../ui/card.tsx';
import { Picture } from '../../ui/picture.tsx';
import { DeliveredItem, ReturnedItem } from './delivered-item.tsx';

export function DeliveredProduct({ product }: { product: DeliveredItems['items'][number] }) {
  const {
    productName,
    image,
    category,
    productType,
    quantity,
    returnedQuantity,
    returnedNumbers,
    deliveryInstructions,
    warranty,
    items,
  } = product;
  return (
    <Card className="grid gap-5 p-5 sm:p-6">
      <div className="flex items-center gap-4">
        <Picture src={image} category={category} alt="" className="aspect-4/3 w-24 shrink-0 rounded-md" />
        <div className="grid min-w-0 gap-1.5">
          <h2 className="text-lg break-words">{productName}</h2>
          <p className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm text-muted">
            <Badge className="capitalize">{productType}</Badge>
            Quantity: {quantity}
            {returnedQuantity > 0 && <Badge tone="warning">{returnedQuantity} returned</Badge>}
          </p>
        </div>
      </div>
      {deliveryInstructions !== '' && (
        <div>
          <h3 className="text-sm tracking-normal">Delivery Instructions</h3>
          <p className="whitespace-pre-line text-muted">{deliveryInstructions}</p>
        </div>
      )}
      {items.length === 0 ? (
        <p className="rounded-md bg-sunken px-4 py-6 text-center text-muted">
          {returnedQuantity === quantity
            ? 'Returned for a refund.'
            : 'No items available. Please contact support.'}
        </p>
      ) : (
        <ol className="grid gap-3">
          {[...items.map(({ number }) => number), ...returnedNumbers]
            .sort((one, other) => one - other)
            .map((number) => {
              const item = items.find((delivered) => delivered.number === number);
              return item ? (
                <DeliveredItem key={number} item={item} />
              ) : (
                <ReturnedItem key={number} number={number} />
              );
            })}
        </ol>
      )}
      {warranty > 0 && items.length > 0 && (
        <p className="flex items-center gap-2 text-sm text-muted">
          <ShieldCheck aria-hidden className="size-4 shrink-0 text-accent" />
          Warranty: {warranty} {warranty === 1 ? 'day' : 'days'} from delivery. A faulty item is replaced.
        </p>
      )}
    </Card>
  );
}
