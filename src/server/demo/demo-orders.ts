/** An order of the past, delivered without trouble. */
export interface DemoOrder {
  name: string;
  /** May have a fraction: people do not all buy at the same time of day. */
  daysAgo: number;
  /** Bought as a guest; the purchase made the account. */
  guest: boolean;
  /** The buyer has opened the delivered items since. */
  viewed: boolean;
  lines: { slug: string; quantity: number }[];
}

/**
 * What the demo's customer bought before, the oldest first. None is younger than a week: the payments of the last
 * seven days are compared with the provider's, which has never heard of these.
 */
export const customerOrders: readonly [DemoOrder, ...DemoOrder[]] = [
  {
    name: 'first-games',
    daysAgo: 62.4,
    guest: true,
    viewed: true,
    lines: [
      { slug: 'hollow-lantern', quantity: 1 },
      { slug: 'arcadia-wallet-20', quantity: 2 },
    ],
  },
  {
    name: 'music-and-dinner',
    daysAgo: 26.7,
    guest: false,
    viewed: true,
    lines: [
      { slug: 'spotify-premium-3-months', quantity: 1 },
      { slug: 'nasi-lemak-at-dawn', quantity: 1 },
    ],
  },
  {
    name: 'weekend-and-vpn',
    daysAgo: 9.2,
    guest: false,
    viewed: false,
    lines: [
      { slug: 'little-orchard-valley', quantity: 1 },
      { slug: 'steam-paper-ronin', quantity: 1 },
      { slug: 'harbour-vpn-1-year', quantity: 1 },
    ],
  },
];
