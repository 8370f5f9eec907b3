import { readFileSync } from 'node:fs';
import { v5 as uuidv5 } from 'uuid';
import type { BuyerField } from '../../shared/buyer-fields.ts';
import type { Category } from '../../shared/catalog.ts';
import type { Problem } from '../../shared/problem-reports.ts';
import type { KeyStyle } from './demo-keys.ts';

/** Where the data is; its README says what each file holds. */
export const demoFolder = new URL('../../../demo/', import.meta.url);

/** Money is integer cents of USD; times count from the moment the demo is loaded. */
export interface DemoProduct {
  /** Names the product for good: its id, keys and cover are made from this. */
  slug: string;
  name: string;
  category: Category;
  description: string;
  priceCents: number;
  discount?: { percent: number; endsInDays?: number } | { offCents: number; endsInDays?: number };
  /** A negative start is in the past. */
  flashSale?: { priceCents: number; startsInHours: number; endsInHours: number; units: number | null };
  featured?: true;
  deliveryInstructions: string;
  warrantyDays: number;
  /** Units still for sale, null without a limit; what past orders took comes on top. */
  stock: number | null;
  /** What an item of it looks like. */
  keys: KeyStyle;
  /** As items from stock unless given. */
  delivery?: DemoDelivery;
  platform?: string;
  region?: string;
  createdDaysAgo: number;
}

export type DemoDelivery =
  | { kind: 'shared'; content: string }
  /** Its file in demo/files. */
  | { kind: 'file'; name: string; mediaType: string; downloads: number; days: number }
  | { kind: 'manual'; fields: BuyerField[] };

export interface DemoPhysicalProduct {
  slug: string;
  name: string;
  brand: string;
  category: string;
  description: string;
  priceCents: number;
  stock: number;
  /** Packed. */
  weightGrams: number;
  /** Length, width and height. */
  sizeMm: [number, number, number];
  /** No longer sold. */
  inactive?: true;
  createdDaysAgo: number;
}

export interface DemoCustomer {
  name: string;
  email: string;
  phone?: string;
  /** Needed for orders of physical products. */
  address?: { street: string; city: string; state: string; zipCode: string };
}

export interface DemoOrder {
  /** Names the order for good: its ids are made from this. */
  name: string;
  /** The e-mail of a customer. */
  buyer: string;
  /** May have a fraction. */
  daysAgo: number;
  /** The buyer's first order, which made the account. */
  guest?: true;
  /** The buyer has opened the delivered items. */
  viewed?: true;
  /** Without one, the shop kept the money. */
  outcome?: 'refunded' | 'abandoned' | 'payment-failed';
  /** Quantities by slug, of products of one kind. */
  lines: Record<string, number>;
  /** To the fields of a product that a person delivers: by its slug, and by label. */
  answers?: Record<string, Record<string, string>>;
  /** What a person delivers has not been delivered. */
  waiting?: true;
}

/** By somebody to whom the product was delivered before that day. */
export interface DemoReview {
  product: string;
  /** The e-mail of a customer. */
  buyer: string;
  stars: number;
  daysAgo: number;
  title: string;
  text: string;
  /** The shop's answer, of the next day. */
  reply?: string;
  /** Waits for an administrator. */
  pending?: true;
}

/** Of the first unit of a product of an order, and still open. */
export interface DemoReport {
  order: string;
  product: string;
  problem: Problem;
  daysAgo: number;
  text: string;
  answer: { daysAgo: number; text: string };
}

export interface DemoData {
  digitalProducts: DemoProduct[];
  physicalProducts: DemoPhysicalProduct[];
  customers: DemoCustomer[];
  orders: DemoOrder[];
  reviews: DemoReview[];
  reports: DemoReport[];
}

export function readDemoData(): DemoData {
  const read = (file: string) => JSON.parse(readFileSync(new URL(file, demoFolder), 'utf8'));
  return {
    digitalProducts: read('digital-products.json'),
    physicalProducts: read('physical-products.json'),
    customers: read('customers.json'),
    orders: read('orders.json'),
    reviews: read('reviews.json'),
    reports: read('problem-reports.json'),
  };
}

const NAMESPACE = uuidv5('https://kedai.test/demo', uuidv5.URL);

/** The id of a thing of the demo, made from its name: the same in every demo shop. */
export const demoId = (
  kind:
    | 'user'
    | 'product'
    | 'item'
    | 'order'
    | 'order-line'
    | 'parcel'
    | 'refund'
    | 'review'
    | 'file'
    | 'report'
    | 'message',
  name: string,
): string => uuidv5(`${kind}/${name}`, NAMESPACE);

const DAY_MS = 24 * 60 * 60 * 1000;

/** May have a fraction; a negative count of days lies ahead. */
export const demoDaysBefore = (now: Date, days: number): Date => new Date(now.getTime() - Math.round(days * DAY_MS));
