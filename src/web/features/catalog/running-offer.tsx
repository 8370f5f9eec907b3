import { Zap } from 'lucide-react';
import { Badge } from '../../ui/badge.tsx';
import { countdown, type Offer } from './offer.ts';

/** On a product's own page: until when the offer runs, to the second, and how many can still be had at its price. */
export function RunningOffer({ offer, now }: { offer: Offer; now: number }) {
  const { source, endsAt, unitsLeft } = offer;
  if (source === 'regular' || (endsAt === undefined && unitsLeft === undefined)) return null;
  return (
    <div className="flex flex-wrap items-center gap-x-5 gap-y-2 rounded-md bg-sale-soft px-4 py-3 text-sm text-sale">
      <p className="flex items-center gap-2 font-semibold">
        {source === 'flash-sale' && <Zap aria-hidden className="size-4 fill-current" />}
        {source === 'flash-sale' ? 'Flash sale' : 'On sale'}
      </p>
      {endsAt && (
        <p role="timer">
          ends in <span className="tabular font-semibold">{countdown(endsAt, now)}</span>
        </p>
      )}
      {unitsLeft !== undefined && unitsLeft > 0 && <Badge tone="sale">{unitsLeft} left at this price</Badge>}
    </div>
  );
}
