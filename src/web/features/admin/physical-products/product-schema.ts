import * as z from 'zod/mini';
import { createPhysicalProductBody, type PhysicalProduct } from '../../../../shared/admin-catalog.ts';
import { toCents, toDollars } from '../../../../shared/pricing.ts';

const { name, description, brand, category, image } = createPhysicalProductBody.shape;

const filled = (message: string) => z.string().check(z.trim(), z.minLength(1, message));

/** What is typed into the form; the server's own rules, in words for its fields. */
export const productForm = z.object({
  name: z.pipe(filled('Please enter a name'), name),
  brand,
  category: z.pipe(filled('Please enter a category'), category),
  description,
  image: z.pipe(filled('Please give an image'), image),
  price: filled('Please enter a price').check(
    z.refine((text) => priceOf(text) !== undefined, {
      error: 'Please enter a price in dollars and cents, as in 12.50',
      abort: true,
    }),
    z.refine((text) => (priceOf(text) ?? 0) > 0, 'Price must be greater than 0'),
    z.refine((text) => (priceOf(text) ?? 0) <= 100_000, 'Price must be at most 100000'),
  ),
  stock: filled('Please enter how many there are').check(
    z.refine((text) => /^\d{1,7}$/.test(text) && Number(text) <= 1_000_000, {
      error: 'Please enter a whole number from 0 to 1000000',
    }),
  ),
  isActive: z.boolean(),
});
export type ProductForm = z.infer<typeof productForm>;

/** Dollars with at most two decimals; undefined for anything else. */
export function priceOf(text: string): number | undefined {
  return /^-?\d{1,7}(\.\d{1,2})?$/.test(text.trim()) ? toDollars(toCents(Number(text))) : undefined;
}

export const emptyForm: ProductForm = {
  name: '',
  brand: '',
  category: '',
  description: '',
  image: '',
  price: '',
  stock: '',
  isActive: true,
};

export const formOf = ({ price, stock, ...product }: PhysicalProduct): ProductForm => ({
  name: product.name,
  brand: product.brand,
  category: product.category,
  description: product.description,
  image: product.image,
  price: price.toFixed(2),
  stock: String(stock),
  // Missing means active.
  isActive: product.isActive !== false,
});

export const bodyOf = ({ price, stock, ...texts }: ProductForm) => ({
  ...texts,
  price: priceOf(price) ?? 0,
  stock: Number(stock),
});
