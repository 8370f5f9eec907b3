import { expect, it } from 'vitest';
import { makeProduct } from '../../../../test/factories.ts';
import { openTestShop } from '../../../../test/test-shop.ts';
import { countByProduct } from './recovery.queries.ts';

const shop = await openTestShop();

it('counts the items of two products with the same name apart', async () => {
  const { db } = shop.deps;
  const name = 'Ember Reach';
  const products = [await makeProduct(shop.deps, { name }), await makeProduct(shop.deps, { name })];
  const ids = products.map(({ id }) => id);
  const items = await db.selectFrom('items').select('id').where('product_id', 'in', ids).execute();
  const counted = await countByProduct(
    db,
    items.map(({ id }) => id),
  );
  expect(counted).toEqual(products.map(({ keys }) => ({ product: name, units: keys.length })));
});
