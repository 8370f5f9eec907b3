import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type EmptyShop, openEmptyShop } from '../../../test/demo-shop.ts';
import { makeDemoData } from './make-demo-data.ts';

let shop: EmptyShop;
beforeAll(async () => {
  shop = await openEmptyShop(new Date('2026-03-09T10:30:00Z'));
  await makeDemoData(shop);
});
afterAll(() => shop.close());

const change = (statement: string) => sql.raw(statement).execute(shop.db);

describe('the database refuses', () => {
  it.each([
    ['stars that nobody gave', 'UPDATE products SET review_count = 0'],
    ['more than five stars', 'UPDATE products SET rating_tenths = 51 WHERE review_count > 0'],
    ['less than nothing on the shelf', 'UPDATE products SET stock = -1 WHERE stock > 0'],
    ['goods for nothing', 'UPDATE products SET price_cents = 0'],
  ])('%s', async (_, statement) => {
    await expect(change(statement)).rejects.toMatchObject({ code: '23514' });
  });

  it('to forget goods that were sold', async () => {
    const sold = 'SELECT product_id FROM order_lines';
    await expect(
      change(`DELETE FROM products WHERE kind = 'physical' AND id IN (${sold})`),
    ).rejects.toMatchObject({
      code: '23503',
    });
  });
});
