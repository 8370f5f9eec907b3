import type { DemoProduct } from './demo-product.ts';

const onService = (service: string) =>
  `Sign in to ${service} in a browser, open the page for redeeming gift codes and enter the code. The time is added to your own account, so your profiles, lists and settings stay as they are.`;
const onPremiumAccount =
  'Sign in with the user name before the colon and the password after it. Change the password on first use; the e-mail address can be changed after 24 hours.';
const onVpn =
  'Install the app on your devices and sign in with the user name before the colon and the password after it. The year starts with the first sign-in.';

/** Streaming, music, chat, privacy and other things paid by the month. */
export const subscriptionProducts: readonly DemoProduct[] = [
  {
    slug: 'discord-nitro-1-month',
    name: 'Discord Nitro, 1 Month',
    category: 'Discord Nitro',
    description:
      'Custom emoji everywhere, uploads of 500 MB, HD streaming and two server boosts for a month. Delivered as a gift code for your own account, new or existing.',
    priceCents: 949,
    deliveryInstructions: onService('Discord'),
    warrantyDays: 14,
    stock: 52,
    keys: 'gift-card',
    createdDaysAgo: 141,
    cover: { motif: 'bubbles', palette: 'blurple' },
  },
  {
    slug: 'discord-nitro-12-months',
    name: 'Discord Nitro, 12 Months',
    category: 'Discord Nitro',
    description:
      'A whole year of Nitro at two months’ less than paying monthly. One gift code, nothing to renew, and it can be given to a friend instead.',
    priceCents: 9499,
    discount: { offCents: 1500, endsInDays: 9 },
    featured: true,
    deliveryInstructions: onService('Discord'),
    warrantyDays: 30,
    stock: 16,
    keys: 'gift-card',
    createdDaysAgo: 28,
    cover: { motif: 'bubbles', palette: 'rose' },
  },
  {
    slug: 'netflix-premium-1-month',
    name: 'Netflix Premium, 1 Month',
    category: 'Netflix',
    description:
      'A month of films and series in 4K with HDR, on four screens at once. The code is credited to your own account and pays for Premium at the Malaysian rate, so nothing has to be shared with strangers.',
    priceCents: 1390,
    featured: true,
    deliveryInstructions: onService('Netflix'),
    warrantyDays: 30,
    stock: 44,
    keys: 'voucher',
    createdDaysAgo: 126,
    cover: { motif: 'cinema', palette: 'crimson' },
  },
  {
    slug: 'spotify-premium-3-months',
    name: 'Spotify Premium Individual, 3 Months',
    category: 'Spotify',
    description:
      'Three months of music without advertisements, offline listening and any song you like in any order. For your own account; a running individual plan is extended.',
    priceCents: 1549,
    discount: { percent: 20, endsInDays: 4 },
    deliveryInstructions: onService('Spotify'),
    warrantyDays: 30,
    stock: 39,
    keys: 'voucher',
    createdDaysAgo: 46,
    cover: { motif: 'equalizer', palette: 'lime' },
  },
  {
    slug: 'spotify-premium-12-months',
    name: 'Spotify Premium Individual, 12 Months',
    category: 'Spotify',
    description:
      'A year of Premium for one listener, paid once. Download whole playlists for the train, skip as often as you want and listen together with friends.',
    priceCents: 5690,
    deliveryInstructions: onService('Spotify'),
    warrantyDays: 30,
    stock: 11,
    keys: 'voucher',
    createdDaysAgo: 14,
    cover: { motif: 'equalizer', palette: 'mint' },
  },
  {
    slug: 'youtube-premium-3-months',
    name: 'YouTube Premium, 3 Months',
    category: 'YouTube Premium',
    description:
      'Videos without advertisements, in the background and offline, with YouTube Music included. Three months for one person on their own account, without automatic renewal.',
    priceCents: 2190,
    deliveryInstructions: onService('YouTube'),
    warrantyDays: 30,
    stock: 28,
    keys: 'voucher',
    createdDaysAgo: 37,
    cover: { motif: 'player', palette: 'crimson' },
  },
  {
    slug: 'harbour-vpn-1-year',
    name: 'Harbour VPN, 1 Year',
    category: 'VPN',
    description:
      'Servers in sixty-two countries, no logs, independently audited. Five devices at a time, apps for every system, and a kill switch that is on from the start. Setting it up takes about two minutes.',
    priceCents: 3900,
    flashSale: { priceCents: 2490, startsInHours: -30, endsInHours: 18, units: 15 },
    featured: true,
    deliveryInstructions: onVpn,
    warrantyDays: 365,
    stock: 25,
    keys: 'account',
    createdDaysAgo: 58,
    cover: { motif: 'globe', palette: 'abyss' },
  },
  {
    slug: 'quiet-tunnel-vpn-2-years',
    name: 'Quiet Tunnel VPN, 2 Years',
    category: 'VPN',
    description:
      'A small provider that does one thing well: fast WireGuard connections through machines it owns itself. Two years for ten devices, a fixed address on request.',
    priceCents: 5900,
    deliveryInstructions: onVpn,
    warrantyDays: 365,
    stock: 1,
    keys: 'account',
    createdDaysAgo: 24,
    cover: { motif: 'tunnel', palette: 'royal' },
  },
  {
    slug: 'lingua-bridge-premium-1-year',
    name: 'Lingua Bridge Premium, 1 Year',
    category: 'Premium Accounts',
    description:
      'Fourteen languages taught in ten-minute conversations, with a tutor’s corrections on everything you say. The account is new and yours alone: set your own e-mail address and keep your streak.',
    priceCents: 4200,
    discount: { percent: 30, endsInDays: 15 },
    deliveryInstructions: onPremiumAccount,
    warrantyDays: 90,
    stock: 19,
    keys: 'account',
    createdDaysAgo: 44,
    cover: { motif: 'phrases', palette: 'meadow' },
  },
  {
    slug: 'stillwater-meditation-1-year',
    name: 'Stillwater Meditation, 1 Year',
    category: 'Premium Accounts',
    description:
      'Guided sittings from three minutes to an hour, sleep stories and quiet soundscapes recorded in the rainforest of Pahang. A new premium account for one person.',
    priceCents: 2900,
    deliveryInstructions: onPremiumAccount,
    warrantyDays: 90,
    stock: 34,
    keys: 'account',
    createdDaysAgo: 20,
    cover: { motif: 'stones', palette: 'mint' },
  },
];
