import type { Category } from '../../../shared/catalog.ts';
import type { Cover } from '../cover-art.ts';
import type { KeyStyle } from '../demo-keys.ts';

/** One product of the demo shop as its data files declare it. Money is integer cents of USD. */
export interface DemoProduct {
  /** Names it for good: its id, its keys and its cover are made from this. */
  slug: string;
  name: string;
  category: Category;
  description: string;
  priceCents: number;
  discount?: { percent: number; endsInDays?: number } | { offCents: number; endsInDays?: number };
  /** Hours from the moment the demo is made; a negative start is in the past. */
  flashSale?: { priceCents: number; startsInHours: number; endsInHours: number; units: number | null };
  featured?: true;
  deliveryInstructions: string;
  warrantyDays: number;
  /** Items still for sale; what past orders took comes on top. */
  stock: number;
  keys: KeyStyle;
  createdDaysAgo: number;
  cover: Cover;
}

/** One of the goods that are posted. */
export interface DemoPhysicalProduct {
  slug: string;
  name: string;
  brand: string;
  category: string;
  description: string;
  priceCents: number;
  stock: number;
  /** Tenths of a star; 0 without reviews. */
  ratingTenths: number;
  reviewCount: number;
  /** No longer sold. */
  inactive?: true;
  createdDaysAgo: number;
  cover: Cover;
}
