import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FAULT_TEST_LIMIT, openFaultWorld } from './fault-world.ts';
import { newPurchase } from './purchase.ts';
import { repositoryRoot, SHOP_ENTRY } from './shop-process.ts';

const AFTER_THE_HOLD_MS = 16 * 60_000;
const WITHIN_A_MINUTE_MS = 45_000;

/** Copies the shop's sources with one text replaced, to a folder in the repository, where the packages are found. */
async function makeMutant(mutant: { name: string; file: string; text: string; instead: string }): Promise<string> {
  const root = join(repositoryRoot, '.cache/mutants', mutant.name);
  await rm(root, { recursive: true, force: true });
  for (const folder of ['src/server', 'src/shared']) {
    const copied = (path: string) => !path.endsWith('.test.ts');
    await cp(join(repositoryRoot, folder), join(root, folder), { recursive: true, filter: copied });
  }
  await cp(join(repositoryRoot, 'package.json'), join(root, 'package.json'));
  await mkdir(dirname(join(root, SHOP_ENTRY)), { recursive: true });
  await cp(join(repositoryRoot, SHOP_ENTRY), join(root, SHOP_ENTRY));
  const source = await readFile(join(root, mutant.file), 'utf8');
  expect(source.split(mutant.text), `${mutant.file} has the text once`).toHaveLength(2);
  await writeFile(
    join(root, mutant.file),
    source.replace(mutant.text, () => mutant.instead),
  );
  return root;
}

describe.concurrent('the crash tests find a shop that', FAULT_TEST_LIMIT, () => {
  it('puts goods back on sale before it has cancelled their payment', async () => {
    const root = await makeMutant({
      name: 'release-before-cancel',
      file: 'src/server/features/checkout/release-order.ts',
      text: `  const left = await deps.payments.cancelIntent({ intentId: found.id, orderId });
  deps.crashPoint('cancelled-at-provider');
  if (left.status === 'canceled') return cancelOrder(deps, orderId, reason, alsoWrite);
`,
      instead: `  await cancelOrder(deps, orderId, reason, alsoWrite);
  const left = await deps.payments.cancelIntent({ intentId: found.id, orderId });
  if (left.status === 'canceled') return;
`,
    });
    await using world = await openFaultWorld();
    const shop = await world.start({ root, crashAt: 'goods-released', webhooks: 'off' });
    const purchase = await newPurchase(world, shop.url, 5);
    await purchase.open(1);
    await expect(purchase.open(2)).rejects.toThrow();
    expect(await shop.ended).toBe('SIGKILL');
    await world.start({ root, clockAheadMs: AFTER_THE_HOLD_MS, webhooks: 'off' });
    await world.rest(AFTER_THE_HOLD_MS);
    expect(await world.violations()).toEqual([
      expect.stringContaining('I1 the goods of a payment that can still be taken are on sale'),
    ]);
  });

  it('delivers goods before it has captured their payment', async () => {
    const root = await makeMutant({
      name: 'deliver-before-capture',
      file: 'src/server/features/checkout/settle-order.ts',
      text: `  await capture(deps, order, intent);
  deps.crashPoint('payment-captured');

  const fulfilled = await handOver(deps, order, intent);
  deps.crashPoint('order-fulfilled');
`,
      instead: `  const fulfilled = await handOver(deps, order, intent);
  deps.crashPoint('order-fulfilled');

  await capture(deps, order, intent);
  deps.crashPoint('payment-captured');
`,
    });
    await using world = await openFaultWorld();
    const shop = await world.start({ root, crashAt: 'order-fulfilled', webhooks: 'off' });
    const purchase = await newPurchase(world, shop.url);
    await purchase.open();
    await purchase.confirmCard();
    await expect(purchase.place()).rejects.toThrow();
    expect(await shop.ended).toBe('SIGKILL');
    await world.start({ root, clockAheadMs: WITHIN_A_MINUTE_MS, webhooks: 'off' });
    await world.rest(WITHIN_A_MINUTE_MS);
    expect(await world.violations()).toContainEqual(
      expect.stringContaining('I1 goods are delivered without the money'),
    );
  });
});
