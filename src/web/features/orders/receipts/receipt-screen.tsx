import { useQuery } from '@tanstack/react-query';
import { ReceiptText } from 'lucide-react';
import { useParams, useSearchParams } from 'react-router';
import { orderNumber } from '../../../../shared/order-words.ts';
import { receiptNumber, receiptTitles } from '../../../../shared/receipts.ts';
import { call, messageOf } from '../../../lib/api-client.ts';
import { useTitle } from '../../../lib/page.ts';
import { refetchWhile } from '../../../lib/refetch-while.ts';
import { useSession } from '../../../state/session.tsx';
import { EmptyState, Skeleton } from '../../../ui/card.tsx';
import { ReturnLink, TextLink } from '../../../ui/form-page.tsx';
import { Loading } from '../../../ui/loading.tsx';
import { ReceiptSheet } from './receipt-sheet.tsx';

/** The receipt of an order, or with `?number=` one of its credit notes, for the buyer and for administrators. */
export function ReceiptScreen() {
  const { orderId = '' } = useParams();
  const [params] = useSearchParams();
  const { user } = useSession();
  const { data, error } = useQuery({
    queryKey: ['mine', user?._id, 'receipts', orderId],
    queryFn: async () => (await call('GET /orders/:orderId/receipts', { params: { orderId } })).data,
    // The receipt is issued within seconds after the payment.
    refetchInterval: refetchWhile(({ length }) => length === 0),
  });
  const wanted = params.get('number');
  const receipt = data?.find(({ number }) => (wanted ? number === Number(wanted) : true));
  // Browsers use the title as the name of a PDF.
  useTitle(receipt ? `${receiptTitles[receipt.kind]} ${receiptNumber(receipt.number)}` : 'Receipt');
  const back = (
    <ReturnLink to={user?.role === 'admin' ? `/admin/orders/${orderId}` : `/orders/${orderId}`}>
      Order #{orderNumber(orderId)}
    </ReturnLink>
  );
  return (
    <div className="mx-auto grid w-full max-w-[52rem] grid-cols-1 gap-6 px-4 py-8 sm:px-6 print:max-w-none print:p-0">
      {receipt && <ReceiptSheet receipt={receipt} back={back} />}
      {data && data.length > 1 && (
        <nav aria-label="Receipts of this order" className="flex flex-wrap gap-x-6 gap-y-2 print:hidden">
          {data.map(({ number, kind }) => (
            <TextLink
              key={number}
              to={`?number=${number}`}
              aria-current={number === receipt?.number ? 'page' : undefined}>
              {receiptTitles[kind]} {receiptNumber(number)}
            </TextLink>
          ))}
        </nav>
      )}
      {!receipt && (data || error) && (
        <EmptyState heading="h1" icon={ReceiptText} title={error ? 'This receipt cannot be shown' : 'No receipt yet'}>
          <p role={error ? 'alert' : 'status'}>
            {error ? messageOf(error, 'Failed to load the receipt') : 'It is made within seconds of the payment.'}
          </p>
        </EmptyState>
      )}
      {!data && !error && (
        <Loading label="Loading your receipt">
          <Skeleton className="h-[32rem]" />
        </Loading>
      )}
    </div>
  );
}
