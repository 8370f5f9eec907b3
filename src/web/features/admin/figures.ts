import { formatPrice } from '../../../shared/currency.ts';
import { toCents } from '../../../shared/pricing.ts';

/** An amount in US dollars, which is what is charged, whatever currency the shop's pages show. */
export const dollars = (amount: number): string => formatPrice(toCents(amount));

/** What a price in US dollars comes to in ringgit. */
export const ringgit = (amount: number): string => formatPrice(toCents(amount), 'MYR');
