import type { RealShop } from './real-shop.ts';

/** Every order that was opened with this e-mail, in whatever state, oldest first. */
export const listOrders = ({ db }: RealShop, email: string) =>
  db.selectFrom('orders').selectAll().where('contact_email', '=', email).orderBy('created_at').execute();

/** The name of the product that is on the last page of a list of the newest first. */
export async function oldestProductName({ db }: RealShop): Promise<string> {
  const oldest = db.selectFrom('products').select('name').where('is_active', '=', true).orderBy('created_at').limit(1);
  return (await oldest.executeTakeFirstOrThrow()).name;
}

/** Every payment intent that the provider knows of this buyer, oldest first. */
export const listPayments = ({ db }: RealShop, email: string) =>
  db
    .selectFrom('test_mode_intents')
    .select(['id', 'status', 'amount_cents', 'captured_cents', 'refunded_cents'])
    .where('receipt_email', '=', email)
    .orderBy('created_at')
    .execute();
