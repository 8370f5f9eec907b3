import { DEFAULT_COUNTRY, type Role } from '../../shared/accounts.ts';
import { daysBefore } from './demo-days.ts';
import { demoId } from './demo-ids.ts';
import type { SeededRandom } from './seeded-random.ts';

export interface DemoCustomer {
  name: string;
  email: string;
  phone: string;
  /** When the first purchase made the account. */
  joinedDaysAgo: number;
  /** Only those who gave one can have goods posted. */
  address: { street: string; city: string; state: string; zipCode: string; country: string } | undefined;
}

/** The customer whose password is public. */
export const nadia: DemoCustomer = {
  name: 'Nadia Rahman',
  email: 'customer@kedai.test',
  phone: '+60 12-555 0142',
  joinedDaysAgo: 62.4,
  address: {
    street: '18 Jalan Kenanga',
    city: 'Kuala Lumpur',
    state: 'Wilayah Persekutuan',
    zipCode: '50200',
    country: 'Malaysia',
  },
};

// Eight first and six family names each, put together as people there do.
const peoples = [
  {
    given: 'Aisyah,Hafiz,Farah,Amir,Siti,Danial,Izzati,Zulkifli',
    family: 'Abdullah,Ismail,Hassan,Yusof,Othman,Salleh',
    order: (given: string, family: string) => `${given} ${family}`,
  },
  {
    given: 'Wei Ling,Jun Hao,Mei Yee,Kok Wai,Xin Yi,Zhi Hao,Hui Min,Chee Keong',
    family: 'Tan,Lim,Wong,Lee,Chong,Ng',
    order: (given: string, family: string) => `${family} ${given}`,
  },
  {
    given: 'Priya,Arjun,Kavitha,Ganesh,Divya,Suresh,Anjali,Vikram',
    family: 'Nair,Pillai,Krishnan,Menon,Rajan,Subramaniam',
    order: (given: string, family: string) => `${given} ${family}`,
  },
  {
    given: 'Emma,Lukas,Chloe,Mateo,Hannah,Kenji,Sofia,Oliver',
    family: 'Clarke,Weber,Moreau,Sato,Rossi,Campbell',
    order: (given: string, family: string) => `${given} ${family}`,
  },
] as const;

type Place = readonly [city: string, state: string, zipCode: string];

const places: readonly [Place, ...Place[]] = [
  ['Kuala Lumpur', 'Wilayah Persekutuan', '50450'],
  ['Petaling Jaya', 'Selangor', '46000'],
  ['George Town', 'Pulau Pinang', '10200'],
  ['Johor Bahru', 'Johor', '80000'],
  ['Ipoh', 'Perak', '30000'],
  ['Kuching', 'Sarawak', '93000'],
  ['Kota Kinabalu', 'Sabah', '88000'],
  ['Melaka', 'Melaka', '75000'],
];

const streets = ['Melati', 'Cempaka', 'Bunga Raya', 'Tun Razak', 'Merdeka', 'Sentosa'] as const;

/** The person with this number, below 192, each with another name. */
export function demoCustomer(number: number, joinedDaysAgo: number, random: SeededRandom): DemoCustomer {
  const people = peoples[number % 4] ?? peoples[0];
  // 37 and 48 have no common divisor, so that all pairs of names come, mixed.
  const pair = (Math.floor(number / 4) * 37) % 48;
  const given = people.given.split(',')[pair % 8] ?? '';
  const family = people.family.split(',')[Math.floor(pair / 8)] ?? '';
  const [city, state, zipCode] = random.pick(places);
  const street = `${random.whole(1, 140)} Jalan ${random.pick(streets)}`;
  return {
    name: people.order(given, family),
    // Addresses end in .test, which never leads anywhere (RFC 6761).
    email: `${given}.${family}@inbox.test`.toLowerCase().replaceAll(' ', '.'),
    phone: random.next() < 0.6 ? `+60 1${random.whole(1, 9)}-555 ${random.whole(1000, 9999)}` : '',
    joinedDaysAgo,
    address: random.next() < 0.6 ? { street, city, state, zipCode, country: 'Malaysia' } : undefined,
  };
}

/** Without a password nobody can sign in to it, like an account whose buyer never came back to set one. */
export function userRow(
  { name, email, phone, joinedDaysAgo, address }: DemoCustomer,
  now: Date,
  passwordHash: string | null = null,
) {
  const joinedAt = daysBefore(now, joinedDaysAgo);
  return {
    id: demoId('user', email),
    name,
    email,
    phone,
    email_verified_at: passwordHash === null ? null : joinedAt,
    password_hash: passwordHash,
    role: 'customer' as Role,
    street: address?.street ?? '',
    city: address?.city ?? '',
    state: address?.state ?? '',
    zip_code: address?.zipCode ?? '',
    country: address?.country ?? DEFAULT_COUNTRY,
    created_at: joinedAt,
  };
}
