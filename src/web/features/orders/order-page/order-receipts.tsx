import { ReceiptText } from 'lucide-react';
import type { OrderPage } from '../../../../shared/order-page.ts';
import { receiptNumber, receiptTitles } from '../../../../shared/receipts.ts';
import { Button, ButtonLink } from '../../../ui/button.tsx';

interface OrderReceiptsProps {
  order: OrderPage;
  /** Opens a receipt without a session, which the page of a receipt would need; replaces the links to that page. */
  onOpen?: ((number: number) => void) | undefined;
}

/** Links to the receipt and the credit notes of an order. */
export function OrderReceipts({ order: { _id, receipts, isPaid }, onOpen }: OrderReceiptsProps) {
  if (receipts.length === 0) {
    return isPaid ? <p className="text-sm text-muted">Your receipt is being made.</p> : null;
  }
  return (
    <div className="flex flex-wrap gap-3">
      {receipts.map(({ number, kind }) => {
        const look = { variant: 'secondary', icon: ReceiptText } as const;
        const label = `${receiptTitles[kind]} ${receiptNumber(number)}`;
        return onOpen ? (
          <Button key={number} {...look} onClick={() => onOpen(number)}>
            {label}
          </Button>
        ) : (
          <ButtonLink key={number} {...look} to={`/orders/${_id}/receipt?number=${number}`}>
            {label}
          </ButtonLink>
        );
      })}
    </div>
  );
}
