import type { CategoryEntry, Product, ProductKind, ProductListQuery } from '../../shared/catalog.ts';
import { call } from './api-client.ts';

// The calls of the two kinds differ in their paths only.

const paths = { digital: '/digital-products', physical: '/products' } as const;

export interface ProductPage {
  data: Product[];
  nextCursor: string | null;
  total: number | null;
  hasUncounted: boolean;
}

export const loadProducts = (kind: ProductKind, query: ProductListQuery): Promise<ProductPage> =>
  call(`GET ${paths[kind]}`, { query });

export const loadCategories = async (kind: ProductKind): Promise<CategoryEntry[]> =>
  (await call(`GET ${paths[kind]}/categories/list`)).data;

export const loadProduct = async (kind: ProductKind, id: string): Promise<Product> =>
  (await call(`GET ${paths[kind]}/:id`, { params: { id } })).data;
