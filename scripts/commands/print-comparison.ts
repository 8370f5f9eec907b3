import type { Deps } from '../../src/server/deps.ts';
import { comparePayments, listDoubtful } from '../../src/server/features/recovery/check-held-back.ts';
import { countByProduct, countReleasable } from '../../src/server/features/recovery/recovery.queries.ts';
import { formatPrice } from '../../src/shared/currency.ts';
import { orderNumber } from '../../src/shared/format.ts';

/** Prints what the provider knows of the time since the backup, and what a person must do about it. */
export async function printComparison(deps: Pick<Deps, 'db' | 'payments'>): Promise<void> {
  const compared = await comparePayments(deps);
  const { takenAt, missing, open, refunded, namedItems } = compared;
  console.log(`\nThe payment provider since the backup of ${takenAt.toISOString()}:`);
  console.log(
    `${missing.length} payments are for orders that are not in the backup. Refund each at the provider, or deliver by hand:`,
  );
  let uploadedLater = 0;
  for (const { intent, refundedCents } of missing) {
    const { goods, unknown } = await goodsOf(deps.db, intent.itemIds);
    uploadedLater += unknown;
    const facts = [
      `${formatPrice(intent.amountCents)} (${intent.status === 'succeeded' ? 'captured' : 'authorised'})`,
      ...(refundedCents > 0 ? [`${formatPrice(refundedCents)} refunded`] : []),
      `order ${intent.orderId}`,
      goods,
    ];
    console.log(`  ${intent.createdAt.toISOString()} ${intent.id}: ${facts.join('; ')}`);
  }
  if (uploadedLater > 0) {
    console.log(
      `Items of these uploaded after the backup: ${uploadedLater}. The shop does not recognise them: do not upload a file that may contain them, or they are sold again.`,
    );
  }
  console.log(
    `${open.length} paid orders are open in the backup. The shop finishes them within a minute of its start.`,
  );
  for (const { orderId = '' } of open) console.log(`  #${orderNumber(orderId)}`);
  console.log(
    `${refunded.length} delivered orders were refunded since. The shop records these refunds; check each order:`,
  );
  for (const orderId of refunded) console.log(`  #${orderNumber(orderId)}`);
  const { held, doubtful } = await listDoubtful(deps, compared);
  console.log(
    `${held} orders are held back: their buyers do not get what they have not received yet. At its start, the shop releases all except the doubtful ones.`,
  );
  console.log(
    `${doubtful.length} of them are doubtful. Enter on the page of each order what was refunded; no money is refunded twice:`,
  );
  for (const { orderId, unknownCents, payments } of doubtful) {
    const facts = [
      ...(unknownCents > 0 ? [`${formatPrice(unknownCents)} refunded since the backup`] : []),
      ...(payments.length > 0
        ? [`${payments.length} of its items sold to another buyer, by ${payments.join(', ')}`]
        : []),
    ];
    console.log(`  #${orderNumber(orderId)}: ${facts.join('; ')}`);
  }
  const free = await countReleasable(deps.db, [...namedItems]);
  console.log(
    `${free} items are set aside and named by no payment since; ${namedItems.size} are named by one and stay set aside.`,
  );
  console.log(`
Next:
  1. Start the shop, which stays closed. Run npm run verify and npm run reconcile until no paid order is open.
  2. Refund or deliver each payment without an order, decide on the doubtful orders, and count the counted goods.
  3. Run npm run --silent restore:release > list.csv. Remove from the list items that were delivered without a payment, e.g. as
     replacements. Then run npm run restore:release -- list.csv
  4. Run npm run shop:closed -- off --reason "..."`);
}

/** Names the goods of a payment whose order is missing. `unknown` counts the items that the backup does not have. */
async function goodsOf(db: Deps['db'], itemIds: readonly string[] | undefined) {
  if (!itemIds) return { goods: 'items unknown', unknown: 0 };
  const known = await countByProduct(db, itemIds);
  const unknown = known.reduce((left, { units }) => left - units, itemIds.length);
  const goods = known.map(({ product, units }) => `${units} of ${product}`);
  if (unknown > 0) goods.push(`${unknown} uploaded after the backup`);
  return { goods: goods.join(', ') || 'counted goods', unknown };
}
