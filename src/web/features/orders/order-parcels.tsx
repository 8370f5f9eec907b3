import { ExternalLink, Package, PackageCheck } from 'lucide-react';
import { unitsInWords } from '../../../shared/order-words.ts';
import type { Parcel } from '../../../shared/orders.ts';
import { Day } from '../../lib/moment.tsx';

/** The parcels of an order with their items, carrier, tracking number and state. */
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
