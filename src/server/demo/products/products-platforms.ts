import type { DemoProduct } from './demo-product.ts';

const onSteam =
  'In the Steam client open Games, then “Activate a Product on Steam…”, and enter the key. It stays in your library for good. A key can be activated on one account only, in any country.';
const onEpic =
  'Sign in to your Epic Games account, choose “Redeem Code” under your account name and paste the code. The game appears in your library at once.';
const onXbox =
  'Sign in at the Microsoft account page for redeeming codes, or on the console under Store, “Redeem a code”, and enter the 25 characters. The time is added to a running membership.';
const onPlayStation =
  'On the console open PlayStation Store, choose “Redeem Codes” in the menu and enter the twelve characters. The account must belong to the region named in the product.';
const onGameAccount =
  'The line before the colon is the user name, the rest the password. Sign in once, then change the password and the e-mail address in the account settings. Both changes are allowed at once.';

/** Keys, memberships and accounts of the gaming platforms. */
export const platformProducts: readonly DemoProduct[] = [
  {
    slug: 'steam-iron-meridian',
    name: 'Iron Meridian (Steam Key)',
    category: 'Steam Keys',
    description:
      'Grand strategy on a single map the size of a continent, from the first railway to the first satellite. Play eighty nations, write your own constitution and lose it all in an afternoon. Workshop support included.',
    priceCents: 3499,
    discount: { percent: 15 },
    featured: true,
    deliveryInstructions: onSteam,
    warrantyDays: 30,
    stock: 33,
    keys: 'product-key',
    createdDaysAgo: 132,
    cover: { motif: 'hexes', palette: 'steel' },
  },
  {
    slug: 'steam-paper-ronin',
    name: 'Paper Ronin (Steam Key)',
    category: 'Steam Keys',
    description:
      'A duelling game folded out of a single sheet of paper: one cut, one breath, one chance. Ninety hand-inked opponents, an endless dojo and online ranked duels with rollback netcode.',
    priceCents: 1299,
    deliveryInstructions: onSteam,
    warrantyDays: 30,
    stock: 54,
    keys: 'product-key',
    createdDaysAgo: 26,
    cover: { motif: 'waves', palette: 'crimson' },
  },
  {
    slug: 'steam-skyline-architects',
    name: 'Skyline Architects (Steam Key)',
    category: 'Steam Keys',
    description:
      'Draw a city block by block and watch people move in. Traffic, light and noise are simulated for every window, so a good street feels good to walk down. Sandbox and twenty-four scenarios.',
    priceCents: 2799,
    flashSale: { priceCents: 1959, startsInHours: 70, endsInHours: 142, units: 40 },
    deliveryInstructions: onSteam,
    warrantyDays: 30,
    stock: 45,
    keys: 'product-key',
    createdDaysAgo: 21,
    cover: { motif: 'skyline', palette: 'mint' },
  },
  {
    slug: 'epic-starfall-covenant',
    name: 'Starfall Covenant (Epic Games)',
    category: 'Epic Games',
    description:
      'Three heroes, one falling sky and seven nights to keep a promise. A story-driven role-playing game with turn-based battles and a world that changes with every star that lands. Base game with all patches.',
    priceCents: 3999,
    discount: { offCents: 1000, endsInDays: 6 },
    deliveryInstructions: onEpic,
    warrantyDays: 30,
    stock: 21,
    keys: 'product-key',
    createdDaysAgo: 43,
    cover: { motif: 'starfall', palette: 'royal' },
  },
  {
    slug: 'epic-rift-runners-pass',
    name: 'Rift Runners: Season Pass (Epic Games)',
    category: 'Epic Games',
    description:
      'Four seasons of the fastest co-op shooter on the platform: sixteen maps, four runners and every cosmetic on the track. Needs the free base game, which is downloaded with it.',
    priceCents: 1999,
    deliveryInstructions: onEpic,
    warrantyDays: 30,
    stock: 0,
    keys: 'product-key',
    createdDaysAgo: 48,
    cover: { motif: 'rift', palette: 'neon' },
  },
  {
    slug: 'xbox-game-pass-ultimate-1-month',
    name: 'Xbox Game Pass Ultimate, 1 Month',
    category: 'Xbox Game Pass',
    description:
      'One month of hundreds of games on console, PC and in the cloud, with online multiplayer and new releases on the day they come out. For new and existing members; the month is added to what you have.',
    priceCents: 1899,
    featured: true,
    deliveryInstructions: onXbox,
    warrantyDays: 14,
    stock: 57,
    keys: 'long-key',
    createdDaysAgo: 57,
    cover: { motif: 'gamepad', palette: 'lime' },
  },
  {
    slug: 'xbox-game-pass-core-6-months',
    name: 'Xbox Game Pass Core, 6 Months',
    category: 'Xbox Game Pass',
    description:
      'Half a year of online multiplayer and a steady library of games for the console. Bought once, no renewal, no card on file. The code has no expiry date before it is redeemed.',
    priceCents: 3499,
    discount: { percent: 10 },
    deliveryInstructions: onXbox,
    warrantyDays: 14,
    stock: 18,
    keys: 'long-key',
    createdDaysAgo: 33,
    cover: { motif: 'gamepad', palette: 'forest' },
  },
  {
    slug: 'playstation-plus-essential-12-months',
    name: 'PlayStation Plus Essential, 12 Months',
    category: 'PlayStation Plus',
    description:
      'A year of online play, monthly games to keep and cloud storage for your saves. For accounts registered in Malaysia. A running subscription is extended by twelve months.',
    priceCents: 6499,
    deliveryInstructions: onPlayStation,
    warrantyDays: 14,
    stock: 24,
    keys: 'voucher',
    createdDaysAgo: 51,
    cover: { motif: 'dpad', palette: 'sapphire' },
  },
  {
    slug: 'playstation-plus-extra-3-months',
    name: 'PlayStation Plus Extra, 3 Months',
    category: 'PlayStation Plus',
    description:
      'Everything of Essential and a catalogue of several hundred games to download and play as you like. For accounts registered in Malaysia. Three months, without automatic renewal.',
    priceCents: 3299,
    flashSale: { priceCents: 2599, startsInHours: -20, endsInHours: 28, units: null },
    deliveryInstructions: onPlayStation,
    warrantyDays: 14,
    stock: 30,
    keys: 'voucher',
    createdDaysAgo: 23,
    cover: { motif: 'dpad', palette: 'cosmos' },
  },
  {
    slug: 'asterra-level-60-account',
    name: 'Realm of Asterra: Level 60 Account',
    category: 'Game Accounts',
    description:
      'A ranger at level 60 with a full set of moonsteel armour, two flying mounts and 40,000 gold. Levelled by hand on the Asian servers and never traded before. The first e-mail address goes with the account.',
    priceCents: 8900,
    deliveryInstructions: onGameAccount,
    warrantyDays: 60,
    stock: 2,
    keys: 'account',
    createdDaysAgo: 19,
    cover: { motif: 'crest', palette: 'ember' },
  },
  {
    slug: 'arena-five-ranked-account',
    name: 'Arena Five: Ranked-Ready Account',
    category: 'Game Accounts',
    description:
      'Level 30 with twenty champions unlocked and no ranked match played yet, so your placement is your own. Verified e-mail, clean record, any region.',
    priceCents: 2490,
    deliveryInstructions: onGameAccount,
    warrantyDays: 60,
    stock: 12,
    keys: 'account',
    createdDaysAgo: 39,
    cover: { motif: 'crest', palette: 'blurple' },
  },
];
