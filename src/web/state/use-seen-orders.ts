import { useEffect } from 'react';
import { storage } from '../lib/storage.ts';
import { useStored } from '../lib/use-stored.ts';
import { markSeen } from './payment-under-way.ts';

/** For a screen that shows these finished orders: the notice of a payment among them goes once somebody looks at it. */
export function useSeenOrders(orderIds: readonly string[]): void {
  const kept = useStored(storage.payment);
  const isShown = kept?.phase === 'ready' && orderIds.includes(kept.orderId);
  useEffect(() => {
    if (!isShown) return;
    const look = () => {
      if (document.visibilityState === 'visible') markSeen();
    };
    look();
    document.addEventListener('visibilitychange', look);
    return () => document.removeEventListener('visibilitychange', look);
  }, [isShown]);
}
