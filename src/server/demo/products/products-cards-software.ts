import type { DemoProduct } from './demo-product.ts';

const onCard =
  'Open the shop’s payment page, choose “Gift card” and enter the sixteen characters. What you do not spend stays on the card. Show the code on your phone when you pay at a counter.';
const onLicence =
  'Download the installer from the maker’s site, start it and paste the key when it asks for a licence. The licence moves with you: deactivate it on the old computer to use it on a new one.';

/** Gift cards and software of invented companies. */
export const cardAndSoftwareProducts: readonly DemoProduct[] = [
  {
    slug: 'arcadia-wallet-20',
    name: 'Arcadia Game Wallet, $20',
    category: 'Gift Cards',
    description:
      'Twenty dollars for everything in the Arcadia store: games, passes and the cosmetics you said you would not buy. Sent as a code within seconds, valid for five years.',
    priceCents: 2000,
    discount: { percent: 5 },
    featured: true,
    deliveryInstructions: onCard,
    warrantyDays: 14,
    stock: 60,
    keys: 'gift-card',
    createdDaysAgo: 160,
    cover: { motif: 'arcadeCard', palette: 'neon' },
  },
  {
    slug: 'rail-and-reef-travel-100',
    name: 'Rail & Reef Travel Voucher, $100',
    category: 'Gift Cards',
    description:
      'A hundred dollars towards any train, ferry or small hotel that Rail & Reef books, in forty countries. The person you give it to chooses where and when; there are no blackout dates.',
    priceCents: 10000,
    deliveryInstructions: onCard,
    warrantyDays: 14,
    stock: 15,
    keys: 'gift-card',
    createdDaysAgo: 31,
    cover: { motif: 'voyageCard', palette: 'sand' },
  },
  {
    slug: 'kopi-pagi-card-10',
    name: 'Kopi Pagi Coffee Card, $10',
    category: 'Gift Cards',
    description:
      'Breakfast on you: good for about six cups at any Kopi Pagi counter in the Klang Valley, Penang and Johor Bahru. Small enough to say thank you, sent in time for tomorrow morning.',
    priceCents: 1000,
    deliveryInstructions: onCard,
    warrantyDays: 14,
    stock: 36,
    keys: 'gift-card',
    createdDaysAgo: 5,
    cover: { motif: 'breakfastCard', palette: 'ember' },
  },
  {
    slug: 'draftline-office-2026',
    name: 'Draftline Office 2026, Lifetime Licence',
    category: 'Software Licenses',
    description:
      'Documents, spreadsheets and slides that open everything your colleagues send and never ask for a subscription. One computer, Windows, macOS or Linux, with all updates of version 2026.',
    priceCents: 7900,
    discount: { percent: 35, endsInDays: 8 },
    featured: true,
    deliveryInstructions: onLicence,
    warrantyDays: 90,
    stock: 31,
    keys: 'long-key',
    createdDaysAgo: 122,
    cover: { motif: 'sheet', palette: 'sapphire' },
  },
  {
    slug: 'lumen-photo-studio',
    name: 'Lumen Photo Studio 5',
    category: 'Software Licenses',
    description:
      'Develop raw files of nine hundred cameras, mask by subject with one click and keep your catalogue on your own disk. Version 5 adds film simulations and a much faster export. Two computers, perpetual.',
    priceCents: 8900,
    deliveryInstructions: onLicence,
    warrantyDays: 90,
    stock: 22,
    keys: 'long-key',
    createdDaysAgo: 22,
    cover: { motif: 'aperture', palette: 'slate' },
  },
  {
    slug: 'vaultguard-security-3-devices',
    name: 'VaultGuard Security, 3 Devices',
    category: 'Software Licenses',
    description:
      'Virus protection, a password manager and a warning before you type your card into the wrong page. One year for three devices, light enough for an old laptop.',
    priceCents: 2900,
    deliveryInstructions: onLicence,
    warrantyDays: 90,
    stock: 0,
    keys: 'long-key',
    createdDaysAgo: 146,
    cover: { motif: 'shield', palette: 'mint' },
  },
];
