import { useEffect, useState } from 'react';
import type { OpenedOrder } from '../../../shared/order-lookup.ts';
import { useTitle } from '../../lib/use-title.ts';
import { Button } from '../../ui/button.tsx';
import { DeliveredOrder } from './delivered-order.tsx';
import { LookupCode } from './lookup-code.tsx';
import { type Lookup, LookupForm } from './lookup-form.tsx';
import { OrderCard } from './order-card.tsx';
import { ITEMS_ARE_GONE, isWhollyRefunded } from './refund-list.tsx';

/** For a buyer without a password at hand. What it opens lives in this screen alone, and is gone when it is left. */
export function FindOrderScreen() {
  const [lookup, setLookup] = useState<Lookup | null>(null);
  const [isAsked, setIsAsked] = useState(false);
  const [opened, setOpened] = useState<OpenedOrder | null>(null);
  // Also once it is found: the title stays in the browser's history.
  useTitle('Find my order');

  function startAnew() {
    setOpened(null);
    setIsAsked(false);
    setLookup(null);
  }

  if (opened) return <FoundOrder opened={opened} onBack={startAnew} />;
  if (lookup && isAsked) {
    return (
      <LookupCode
        lookup={lookup}
        onResent={setLookup}
        onBack={() => setIsAsked(false)}
        onOpened={setOpened}
      />
    );
  }
  return (
    <LookupForm
      lookup={lookup}
      onAsked={(asked) => {
        setLookup(asked);
        setIsAsked(true);
      }}
    />
  );
}

function FoundOrder({ opened, onBack }: { opened: OpenedOrder; onBack: () => void }) {
  const { order, delivered } = opened;
  // It takes the place of a form, like a new screen.
  useEffect(() => {
    document.getElementById('content')?.focus({ preventScroll: true });
    window.scrollTo(0, 0);
  }, []);
  const back = (
    <Button variant="quiet" className="-ml-4 justify-self-start" onClick={onBack}>
      Find another order
    </Button>
  );
  return (
    <div className="mx-auto grid w-full max-w-[60rem] gap-6 px-4 py-8 sm:px-6">
      {delivered ? (
        <DeliveredOrder order={delivered} back={back} />
      ) : (
        <>
          {back}
          <h1 className="text-2xl">Your order</h1>
          <OrderCard order={order} opensItems={false} />
          {order.orderType === 'digital' && (
            <p className="text-muted">
              {isWhollyRefunded(order)
                ? ITEMS_ARE_GONE
                : 'There are no items to open in this order at the moment.'}
            </p>
          )}
        </>
      )}
    </div>
  );
}
