import type { AdminOrderPage } from '../../../../shared/admin-orders.ts';
import { unitsInWords } from '../../../../shared/order-words.ts';
import type { Parcel } from '../../../../shared/orders.ts';
import { call } from '../../../lib/api-client.ts';
import { Moment } from '../../../lib/moment.tsx';
import { Button } from '../../../ui/button.tsx';
import { FormProblem } from '../../../ui/form-page.tsx';
import { useAction } from '../action-dialog.tsx';
import { Facts } from '../figures.tsx';

/** The contents and the tracking of a parcel. A parcel that is one of several is marked as delivered here. */
export function ParcelFacts({ order, parcel }: { order: AdminOrderPage; parcel: Parcel }) {
  const { carrier, trackingNumber, trackingUrl, shippedAt, deliveredAt, items } = parcel;
  const deliver = useAction({
    send: () =>
      call('POST /admin/orders/:id/deliver-parcel', { params: { id: order._id }, body: { parcel: parcel._id } }),
    successMessage: `Parcel ${parcel.number} is marked as delivered`,
    errorMessage: 'The parcel could not be marked as delivered',
  });
  // A parcel with the whole order has no button here: the order's own button marks it as delivered.
  const isOneOfSeveral = order.parcels.length > 1 || order.allowed.includes('Shipped');
  return (
    <div className="mt-4 grid gap-3 border-t border-line pt-4">
      <Facts
        facts={{
          Parcel: unitsInWords(items),
          Carrier: carrier,
          'Tracking number': trackingUrl ? (
            <a href={trackingUrl} target="_blank" rel="noreferrer" className="underline">
              {trackingNumber}
            </a>
          ) : (
            trackingNumber
          ),
          Shipped: <Moment at={shippedAt} />,
          Delivered: deliveredAt && <Moment at={deliveredAt} />,
        }}
      />
      {deliveredAt === null && order.state === 'fulfilled' && isOneOfSeveral && (
        <Button variant="secondary" onClick={deliver.run} loading={deliver.isBusy}>
          Mark parcel {parcel.number} as delivered
        </Button>
      )}
      <FormProblem>{deliver.problem}</FormProblem>
    </div>
  );
}
