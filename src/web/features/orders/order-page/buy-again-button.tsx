import { useMutation } from '@tanstack/react-query';
import { ShoppingCart } from 'lucide-react';
import type { OrderPage } from '../../../../shared/order-page.ts';
import { messageOf } from '../../../lib/api-client.ts';
import { buyAgain } from '../../../state/buy-again.ts';
import { useCart } from '../../../state/cart.tsx';
import { useToasts } from '../../../state/toasts.tsx';
import { Button } from '../../../ui/button.tsx';

const TO_READ_MS = 8000;

/** Puts the order's products into the cart and opens it; a message says which are not available. */
export function BuyAgainButton({ order }: { order: OrderPage }) {
  const cart = useCart();
  const { show } = useToasts();
  const { mutate, isPending } = useMutation({
    mutationFn: () => buyAgain(order.orderItems),
    onSuccess: ({ added, problems }) => {
      if (problems.length > 0) show({ type: 'warning', message: problems.join('. '), duration: TO_READ_MS });
      if (added > 0) cart.open();
    },
    onError: (failure) => show({ type: 'error', message: messageOf(failure, 'The cart could not be filled') }),
  });
  return (
    <Button variant="secondary" icon={ShoppingCart} loading={isPending} onClick={() => mutate()}>
      Buy again
    </Button>
  );
}
