import { type DemoCustomer, nadia } from './demo-customers.ts';

/** An order of the past. */
export interface DemoOrder {
  name: string;
  buyer: DemoCustomer;
  /** May have a fraction: people do not all buy at the same time of day. */
  daysAgo: number;
  /** Bought as a guest; the purchase made the account. */
  guest: boolean;
  /** The buyer has opened the delivered items since. */
  viewed: boolean;
  /** Of `physical` ones nothing but their age decides how far they have come. */
  type: 'digital' | 'physical';
  outcome: 'kept' | 'refunded' | 'abandoned' | 'payment-failed';
  lines: { slug: string; quantity: number }[];
}

const bought = { buyer: nadia, guest: false, viewed: true, type: 'digital', outcome: 'kept' } as const;

/** What the demo's customer bought before, the oldest first. */
export const customerOrders: readonly DemoOrder[] = [
  {
    ...bought,
    name: 'first-games',
    daysAgo: nadia.joinedDaysAgo,
    guest: true,
    lines: [
      { slug: 'hollow-lantern', quantity: 1 },
      { slug: 'arcadia-wallet-20', quantity: 2 },
    ],
  },
  {
    ...bought,
    name: 'for-the-desk',
    daysAgo: 36.2,
    type: 'physical',
    lines: [
      { slug: 'harimau-tkl-keyboard', quantity: 1 },
      { slug: 'first-save-mug', quantity: 2 },
    ],
  },
  {
    ...bought,
    name: 'music-and-dinner',
    daysAgo: 26.7,
    lines: [
      { slug: 'spotify-premium-3-months', quantity: 1 },
      { slug: 'nasi-lemak-at-dawn', quantity: 1 },
    ],
  },
  {
    ...bought,
    name: 'weekend-and-vpn',
    daysAgo: 9.2,
    viewed: false,
    lines: [
      { slug: 'little-orchard-valley', quantity: 1 },
      { slug: 'steam-paper-ronin', quantity: 1 },
      { slug: 'harbour-vpn-1-year', quantity: 1 },
    ],
  },
  {
    ...bought,
    name: 'a-lamplighter',
    daysAgo: 3.6,
    type: 'physical',
    lines: [{ slug: 'lamplighter-figure', quantity: 1 }],
  },
];
