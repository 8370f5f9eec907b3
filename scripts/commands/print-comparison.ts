import type { Deps } from '../../src/server/deps.ts';
import { comparePayments, listDoubtful } from '../../src/server/features/recovery/compare-payments.ts';
import { countByProduct, countReleasable } from '../../src/server/features/recovery/recovery.queries.ts';
import { formatPrice } from '../../src/shared/currency.ts';
import { orderNumber } from '../../src/shared/order-words.ts';

/** Prints what the provider knows of the time since the backup, and what a person must do about it. */
export async function printComparison(deps: Pick<Deps, 'db' | 'payments'>): Promise<void> {
  const compared = await comparePayments(deps);
  const { takenAt, missing, open, refunded, namedItems } = compared;
  console.log(`\nThe payment provider since the backup of ${takenAt.toISOString()}:`);
  console.log(
    `${missing.length} payments have an order that is not in the backup. Refund each there, or deliver by hand:`,
  );
  let uploadedLater = 0;
  for (const { intent, refundedCents } of missing) {
    const { goods, unknown } = await goodsOf(deps.db, intent.itemIds);
    uploadedLater += unknown;
    const facts = [
      `${formatPrice(intent.amountCents)} (${intent.status === 'succeeded' ? 'captured' : 'authorised'})`,
      ...(refundedCents > 0 ? [`${formatPrice(refundedCents)} given back`] : []),
      `order ${intent.orderId}`,
      goods,
    ];
    console.log(`  ${intent.createdAt.toISOString()} ${intent.id}: ${facts.join('; ')}`);
  }
  if (uploadedLater > 0) {
    console.log(
      `Items of theirs that were uploaded after the backup: ${uploadedLater}. The shop does not know them any more and would sell them again: upload no file in which they may be.`,
    );
  }
  console.log(
    `${open.length} paid orders are open in the backup: the shop finishes them within a minute of its start.`,
  );
  for (const { orderId = '' } of open) console.log(`  #${orderNumber(orderId)}`);
  console.log(`${refunded.length} delivered orders had money given back: the shop follows; look at each.`);
  for (const orderId of refunded) console.log(`  #${orderNumber(orderId)}`);
  const { held, doubtful } = await listDoubtful(deps, compared);
  console.log(
    `${held} orders are held back: what their buyers have not got stays locked. The shop lets those go at its start of which nothing was given back.`,
  );
  console.log(
    `${doubtful.length} of them need you: enter on each one's page what was given back; the money goes back only once.`,
  );
  for (const { orderId, unknownCents, payments } of doubtful) {
    const facts = [
      ...(unknownCents > 0 ? [`${formatPrice(unknownCents)} given back since the backup`] : []),
      ...(payments.length > 0 ? [`${payments.length} of its items sold to another, by ${payments.join(', ')}`] : []),
    ];
    console.log(`  #${orderNumber(orderId)}: ${facts.join('; ')}`);
  }
  const { count: free } = await countReleasable(deps.db, [...namedItems]);
  console.log(`${free} items are set aside and in no payment since; ${namedItems.size} are in one and stay set aside.`);
  console.log(`
Now: 1. start the shop, which stays closed, and run npm run verify and npm run reconcile until no paid order is open;
     2. refund or deliver what is missing, decide on the orders that are held back, and count the shelves;
     3. npm run --silent restore:release > list.csv, take off it what was delivered without a payment (as replacements), then
        npm run restore:release -- list.csv;
     4. npm run shop:closed -- off --reason "..."`);
}

/** Names the goods of a payment whose order is missing. `unknown` counts the items that the backup does not have. */
async function goodsOf(db: Deps['db'], itemIds: readonly string[] | undefined) {
  if (!itemIds) return { goods: 'its items are not known', unknown: 0 };
  const known = await countByProduct(db, itemIds);
  const unknown = known.reduce((left, { units }) => left - units, itemIds.length);
  const goods = known.map(({ product, units }) => `${units} of ${product}`);
  if (unknown > 0) goods.push(`${unknown} uploaded after the backup`);
  return { goods: goods.join(', ') || 'counted goods', unknown };
}
