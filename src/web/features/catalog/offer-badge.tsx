import { Zap } from 'lucide-react';
import { Badge } from '../../ui/badge.tsx';
import { type Offer, timeLeft } from './offer.ts';

interface OfferBadgeProps {
  offer: Offer;
  /** When given, a flash sale's badge also says how long it still runs. */
  now?: number;
}

export function OfferBadge({ offer, now }: OfferBadgeProps) {
  if (offer.source === 'regular') return null;
  const percent = offer.percentOff ? `-${offer.percentOff}%` : 'Sale';
  if (offer.source === 'discount') return <Badge tone="sale">{percent}</Badge>;
  return (
    <Badge tone="sale">
      <Zap aria-hidden className="size-3 fill-current" />
      <span className="sr-only">Flash sale</span>
      {percent}
      {offer.endsAt && now !== undefined && (
        <span className="font-medium">
          <span aria-hidden>· </span>
          <span className="sr-only">ends in </span>
          {timeLeft(offer.endsAt, now)}
        </span>
      )}
    </Badge>
  );
}

const LOW_STOCK = 10;

export function StockBadge({ stock }: { stock: number }) {
  const tone = stock === 0 ? 'danger' : stock < LOW_STOCK ? 'warning' : 'accent';
  return <Badge tone={tone}>{stock === 0 ? 'Out of stock' : `${stock} available`}</Badge>;
}
