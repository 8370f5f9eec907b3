import { formatPrice } from '../../../shared/currency.ts';
import type { Counted } from '../../../shared/paging.ts';
import { toCents } from '../../../shared/pricing.ts';

/** As the dashboard writes how many there are of something. */
export const formatCount = (count: number): string => count.toLocaleString('en-MY');

/** How many a list has; with a plus where they were not counted to the end. */
export const formatTotal = ({ total, hasUncounted }: Counted): string =>
  `${formatCount(total)}${hasUncounted ? '+' : ''}`;

/** An amount in US dollars, which is what is charged, whatever currency the shop's pages show. */
export const dollars = (amount: number): string => formatPrice(toCents(amount));

/** What a price in US dollars comes to in ringgit. */
export const ringgit = (amount: number): string => formatPrice(toCents(amount), 'MYR');
