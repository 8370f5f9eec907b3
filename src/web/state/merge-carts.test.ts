import { expect, test } from 'vitest';
import { digitalProduct } from '../../../test/digital-product.ts';
import { mergeCarts, toCartProduct } from './cart-lines.ts';

const now = new Date('2026-03-01T12:00:00Z');

const productOf = (name: string, stock = 10) => digitalProduct({ _id: `product-${name}`, name, stock });

const here = (name: string, quantity: number, syncedQuantity?: number) => ({
  product: toCartProduct(productOf(name), now),
  quantity,
  ...(syncedQuantity !== undefined && { syncedQuantity }),
});
const there = (name: string, quantity: number, stock?: number) => ({ product: productOf(name, stock), quantity });

function merge(carts: Partial<Pick<Parameters<typeof mergeCarts>[0], 'local' | 'account' | 'removed'>>) {
  const merged = mergeCarts({ local: [], account: [], removed: new Set(), now, ...carts });
  return merged.map(({ product, quantity, syncedQuantity }) => [product.name, quantity, syncedQuantity]);
}

test('lines of only one cart are kept, those of this browser first', () => {
  expect(merge({ local: [here('A', 2)], account: [there('B', 3)] })).toEqual([
    ['A', 2, undefined],
    ['B', 3, 3],
  ]);
});

test.each([
  ['more here', { local: 4, account: 1, stock: 10 }, 4],
  ['more in the account', { local: 1, account: 4, stock: 10 }, 4],
  ['more in the account than there is', { local: 1, account: 4, stock: 3 }, 3],
  ['nothing left of it', { local: 2, account: 4, stock: 0 }, 2],
])('the larger quantity of a product in both carts is kept: %s', (_, { local, account, stock }, merged) => {
  expect(merge({ local: [here('A', local)], account: [there('A', account, stock)] })).toEqual([['A', merged, account]]);
});

test('a synced line that the account no longer has is removed', () => {
  expect(merge({ local: [here('A', 2, 2), here('B', 1)] })).toEqual([['B', 1, undefined]]);
});

test('a change on only one side is kept', () => {
  expect(merge({ local: [here('A', 3, 3)], account: [there('A', 1)] })).toEqual([['A', 1, 1]]);
  expect(merge({ local: [here('A', 1, 3)], account: [there('A', 3)] })).toEqual([['A', 1, 3]]);
});

test('the larger quantity is kept after changes on both sides', () => {
  expect(merge({ local: [here('A', 1, 3)], account: [there('A', 2)] })).toEqual([['A', 2, 2]]);
  expect(merge({ local: [here('A', 4, 3)] })).toEqual([['A', 4, undefined]]);
});

test('a line removed here does not return from an account that is not yet synced', () => {
  expect(merge({ account: [there('A', 1), there('B', 1)], removed: new Set(['product-A']) })).toEqual([['B', 1, 1]]);
});

test('the products of merged lines have the shop’s current data', () => {
  const account = [{ product: { ...productOf('A', 7), price: 12, effectivePrice: 12 }, quantity: 1 }];
  const [entry] = mergeCarts({ local: [here('A', 1, 1)], account, removed: new Set(), now });
  expect(entry?.product).toMatchObject({ price: 12, stock: 7 });
});

test('a merged cart holds at most 50 products, those of this browser first', () => {
  const account = Array.from({ length: 50 }, (_, index) => there(`account-${index}`, 1));
  const merged = merge({ local: [here('A', 1)], account });
  expect(merged).toHaveLength(50);
  expect(merged[0]).toEqual(['A', 1, undefined]);
});
