import { expect, it } from 'vitest';
import { makeProduct } from '../../../../test/factories.ts';
import { startWhileLocked } from '../../../../test/locks.ts';
import { signedIn } from '../../../../test/signed-in.ts';
import { openTestShop } from '../../../../test/test-shop.ts';
import { lockAndFindLastEntry } from '../admin/audit-log.ts';
import { countByProduct, releaseSetAside, setItemsAside, storeRestoredBackup } from './recovery.queries.ts';
import { releaseSignedOff } from './secure-restored.ts';

const shop = await openTestShop();

it('items of two products with the same name are counted separately', async () => {
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

it('an item released after its product was deleted is on sale again after "Activate"', async () => {
  const { db, clock } = shop.deps;
  const admin = await signedIn(shop, { role: 'admin' });
  const product = await makeProduct(shop.deps, { items: 2 });
  const path = `/api/digital-products/${product.id}`;
  const items = () => db.selectFrom('items').select(['id', 'state']).where('product_id', '=', product.id).execute();
  await db.transaction().execute((trx) => setItemsAside(trx, clock.now()));
  expect((await admin.send('DELETE', path)).status).toBe(200);
  const ids = (await items()).map(({ id }) => id);
  expect(await db.transaction().execute((trx) => releaseSetAside(trx, ids, clock.now()))).toBe(2);
  expect((await items()).map(({ state }) => state)).toEqual(['quarantined', 'quarantined']);
  expect((await admin.send('PUT', path, { isActive: true })).body.data).toMatchObject({ stock: 2 });
});

it('an item released while its product is being deleted is quarantined with the product', async () => {
  const { db, clock } = shop.deps;
  const admin = await signedIn(shop, { role: 'admin' });
  const product = await makeProduct(shop.deps, { items: 2 });
  const items = () => db.selectFrom('items').select(['id', 'state']).where('product_id', '=', product.id).execute();
  await db.transaction().execute(async (trx) => {
    await storeRestoredBackup(trx, clock.now().toISOString(), clock.now());
    await setItemsAside(trx, clock.now());
  });
  const itemIds = (await items()).map(({ id }) => id);
  // Both write their entry of the audit log last.
  const [deleted, released] = await startWhileLocked<unknown>(db, lockAndFindLastEntry, [
    () => admin.send('DELETE', `/api/digital-products/${product.id}`),
    () => releaseSignedOff(shop.deps, { itemIds, accepted: [] }),
  ]);
  expect([deleted, released]).toMatchObject([{ status: 200 }, { released: 2 }]);
  expect((await items()).map(({ state }) => state)).toEqual(['quarantined', 'quarantined']);
});
