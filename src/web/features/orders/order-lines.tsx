import { ExternalLink, Package, PackageCheck } from 'lucide-react';
import { formatPrice } from '../../../shared/currency.ts';
import { unitsInWords } from '../../../shared/format.ts';
import type { Order, Parcel } from '../../../shared/orders.ts';
import { adjustmentsOf, toCents, totalsIn } from '../../../shared/pricing.ts';
import { Day } from '../../lib/moment.tsx';
import { useOwnReviews } from '../../state/account-status.ts';
import { useCurrency } from '../../state/shop.ts';
import { TextLink } from '../../ui/form-page.tsx';
import { LineRow, SumRow } from '../../ui/order-parts.tsx';

export function OrderLines({ order }: { order: Order }) {
  const { format } = useCurrency();
  return (
    <ul className="grid grid-cols-1 gap-4">
      {order.orderItems.map((item) => (
        <LineRow
          key={item._id}
          {...item}
          detail={`Quantity: ${item.quantity} × ${format(toCents(item.price))}`}
          price={<p className="tabular font-semibold">{format(toCents(item.price) * item.quantity)}</p>}>
          <ReviewLink product={item.product} name={item.name} />
        </LineRow>
      ))}
    </ul>
  );
}

/** Link to the signed-in buyer's review of a product; empty until a unit was delivered. */
function ReviewLink({ product, name }: { product: string; name: string }) {
  const own = useOwnReviews().data?.find((one) => one.product._id === product);
  if (own === undefined) return null;
  return (
    <TextLink to={`/review/${product}`} className="inline-flex min-h-11 items-center text-sm print:hidden">
      {own.review ? 'Your review' : 'Review'}
      <span className="sr-only"> of {name}</span>
    </TextLink>
  );
}

export function OrderTotals({ order }: { order: Order }) {
  const { code, format } = useCurrency();
  const price = (dollars: number) => format(toCents(dollars));
  return (
    <dl className="tabular ml-auto grid w-full gap-1.5 border-t border-line pt-4 sm:max-w-72">
      <SumRow label="Subtotal">{price(order.itemsPrice)}</SumRow>
      {adjustmentsOf(totalsIn(order)).map(({ label, cents }) => (
        <SumRow key={label} label={label}>
          {format(cents)}
        </SumRow>
      ))}
      <SumRow label="Total" isTotal>
        {price(order.totalPrice)}
      </SumRow>
      {order.refundedPrice > 0 && <SumRow label="Refunded">−{price(order.refundedPrice)}</SumRow>}
      {code !== 'USD' && <SumRow label="Charged in USD">{formatPrice(toCents(order.totalPrice))}</SumRow>}
    </dl>
  );
}

export function OrderParcels({ parcels }: { parcels: readonly Parcel[] }) {
  if (parcels.length === 0) return null;
  return (
    <ul aria-label="Parcels" className="grid gap-3 text-sm">
      {parcels.map((parcel) => {
        const { _id, number, items, shippedAt, deliveredAt } = parcel;
        const Icon = deliveredAt ? PackageCheck : Package;
        return (
          <li key={_id} className="flex items-start gap-3 rounded-md border border-line px-4 py-3">
            <Icon aria-hidden className="mt-0.5 size-5 shrink-0 text-accent" />
            <div className="grid min-w-0 gap-0.5">
              <p className="font-semibold">
                {parcels.length > 1 ? `Parcel ${number}: ` : 'Parcel: '}
                {deliveredAt ? (
                  <>
                    delivered on <Day at={deliveredAt} />
                  </>
                ) : (
                  <>
                    on its way since <Day at={shippedAt} />
                  </>
                )}
              </p>
              <p className="wrap-anywhere text-muted">{unitsInWords(items)}</p>
              <Tracking parcel={parcel} />
            </div>
          </li>
        );
      })}
    </ul>
  );
}

function Tracking({ parcel: { carrier, trackingNumber, trackingUrl } }: { parcel: Parcel }) {
  if (!carrier && !trackingNumber) return null;
  if (!trackingUrl) {
    return <p className="wrap-anywhere">{[carrier, trackingNumber].filter(Boolean).join(', ')}</p>;
  }
  return (
    <a
      href={trackingUrl}
      target="_blank"
      rel="noopener noreferrer"
      className="justify-self-start py-3 font-semibold wrap-anywhere text-accent-ink underline">
      Track with {carrier}: {trackingNumber}
      <ExternalLink aria-hidden className="ml-1.5 inline size-4" />
      <span className="sr-only"> (opens in a new tab)</span>
    </a>
  );
}
