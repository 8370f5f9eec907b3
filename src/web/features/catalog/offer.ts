import type { Product } from '../../../shared/catalog.ts';
import { SECOND_MS } from '../../../shared/durations.ts';
import { effectivePrice, priceTermsOf } from '../../../shared/pricing.ts';
import { shopNow, useClock } from '../../lib/shop-clock.ts';

/** The price of one unit at a given time, and the offer that sets it. Money is integer cents of USD. */
export interface Offer {
  unitPriceCents: number;
  /** The price before the offer, if it is higher. */
  regularPriceCents?: number;
  /** Whole per cent below the regular price, rounded down. */
  percentOff?: number;
  source: 'regular' | 'discount' | 'flash-sale';
  endsAt?: Date;
  /** How many units are left at the price of a limited flash sale. */
  unitsLeft?: number;
}

export function offerOf(product: Product, now: number): Offer {
  const terms = priceTermsOf(product);
  const { unitPriceCents, source } = effectivePrice(terms, 1, new Date(now));
  if (source === 'regular' || unitPriceCents >= terms.priceCents) return { unitPriceCents, source };
  const running = source === 'flash-sale' ? terms.flashSale : terms.discount;
  const unitsLeft = source === 'flash-sale' ? terms.flashSale?.unitsLeft : null;
  return {
    unitPriceCents,
    source,
    regularPriceCents: terms.priceCents,
    percentOff: Math.floor(100 - (100 * unitPriceCents) / terms.priceCents),
    ...(running?.endsAt ? { endsAt: running.endsAt } : {}),
    ...(typeof unitsLeft === 'number' ? { unitsLeft: Math.min(unitsLeft, product.stock) } : {}),
  };
}

/** Returns the offer on a product now. The component renders again when the offer starts or ends. */
export function useOffer(product: Product): Offer {
  useClock((now) => offerOf(product, now).source, hasTimedOffer(product));
  return offerOf(product, shopNow().getTime());
}

/** Whether the price will change by itself, at the start or end of an offer. */
export const hasTimedOffer = ({ discount, flashSale }: Product, now = shopNow().getTime()): boolean =>
  [discount?.startDate, discount?.endDate, flashSale?.startDate, flashSale?.endDate].some(
    (moment) => moment && Date.parse(moment) > now,
  );

const two = (part: number) => String(part).padStart(2, '0');

function partsOf(until: Date, now: number) {
  const seconds = Math.max(0, Math.floor((until.getTime() - now) / SECOND_MS));
  return {
    days: Math.floor(seconds / 86_400),
    hours: Math.floor(seconds / 3600) % 24,
    minutes: Math.floor(seconds / 60) % 60,
    seconds: seconds % 60,
  };
}

/** The time left as "2d 5h", "5h 09m" or "09:41", to the second only in the last hour. */
export function timeLeft(until: Date, now: number): string {
  const { days, hours, minutes, seconds } = partsOf(until, now);
  if (days > 0) return `${days}d ${hours}h`;
  if (hours > 0) return `${hours}h ${two(minutes)}m`;
  return `${two(minutes)}:${two(seconds)}`;
}

/** The time left as "2d 05:09:41" or "05:09:41". */
export function countdown(until: Date, now: number): string {
  const { days, hours, minutes, seconds } = partsOf(until, now);
  const clock = [hours, minutes, seconds].map(two).join(':');
  return days > 0 ? `${days}d ${clock}` : clock;
}
