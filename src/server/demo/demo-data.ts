import { readFileSync } from 'node:fs';
import { v5 as uuidv5 } from 'uuid';
import type { BuyerField, Category } from '../../shared/catalog.ts';
import type { Problem } from '../../shared/problem-reports.ts';
import type { KeyStyle } from './demo-keys.ts';

/** The folder of the demo's data. Its README describes each file. */
export const demoFolder = new URL('../../../demo/', import.meta.url);

/** Money is integer cents of USD; times count from the moment the demo is loaded. */
export interface DemoProduct {
  /** Must not change: the product's id, keys and cover are derived from it. */
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
  /** Units still for sale; null without a limit. The units of past orders are added to them. */
  stock: number | null;
  /** The form of the product's items. */
  keys: KeyStyle;
  /** Items from stock unless given. */
  delivery?: DemoDelivery;
  platform?: string;
  region?: string;
  createdDaysAgo: number;
}

type DemoDelivery =
  | { kind: 'shared'; content: string }
  /** `name` is a file in demo/files. */
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
  /** The weight with the packaging. */
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
  /** Must not change: the ids of the order's rows are derived from it. */
  name: string;
  /** The e-mail of a customer. */
  buyer: string;
  /** May have a fraction. */
  daysAgo: number;
  /** The buyer's first order, which made the account. */
  guest?: true;
  /** The buyer has opened the delivered items. */
  viewed?: true;
  /** Without an outcome, the order was paid and not refunded. */
  outcome?: 'refunded' | 'abandoned' | 'payment-failed';
  /** Quantities by slug, of products of one kind. */
  lines: Record<string, number>;
  /** Answers to the fields of a product that a person delivers, by the product's slug and the field's label. */
  answers?: Record<string, Record<string, string>>;
  /** What a person delivers has not been delivered yet. */
  waiting?: true;
}

/** A review. The product must have been delivered to the buyer before that day. */
interface DemoReview {
  product: string;
  /** The e-mail of a customer. */
  buyer: string;
  stars: number;
  daysAgo: number;
  title: string;
  text: string;
  /** The shop's answer, one day later. */
  reply?: string;
  /** Waits for an administrator. */
  pending?: true;
}

/** A report, still open, about the first unit of a product in an order. */
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

/** Returns the id of a row of the demo, derived from a name: the same in every demo shop. */
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
