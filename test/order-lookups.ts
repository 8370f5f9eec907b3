import { settleOrder } from '../src/server/features/checkout/settle-order.ts';
import { orderNumber } from '../src/shared/format.ts';
import { makeProduct } from './factories.ts';
import { readMails, type WrittenMail } from './mail-folder.ts';
import { sendNow } from './sent-mails.ts';
import { type Answer, createShopper } from './shopper.ts';
import type { TestShop } from './test-shop.ts';

export interface Bought {
  orderId: string;
  number: string;
  /** The content of the delivered item. */
  key: string;
}

/** Creates the steps of an order lookup, from the purchase to reading the code in the mail. */
export function createLookupDesk(shop: TestShop) {
  const visitor = createShopper(shop.url);
  const { db, config } = shop.deps;

  return {
    /** Buys as a guest; the order stays unpaid if `pay` is false. */
    async buy(email: string, { pay = true } = {}): Promise<Bought> {
      const product = await makeProduct(shop.deps);
      const buyer = createShopper(shop.url);
      const cart = [{ product, quantity: 1 }];
      const { orderId = '' } = pay
        ? await buyer.authorise(cart, { email })
        : (await buyer.openPayment(cart, { email })).body;
      if (pay) await settleOrder(shop.deps, orderId);
      return { orderId, number: orderNumber(orderId), key: product.keys[0] ?? '' };
    },

    ask: (email: string, number: string): Promise<Answer> =>
      visitor.post('/api/order-lookup/guest', { email, orderNumber: number }),

    async askFor(email: string, number: string): Promise<string> {
      const { body } = await this.ask(email, number);
      return String(body.data?.['lookupId']);
    },

    open: (lookupId: string, code: string): Promise<Answer> =>
      visitor.post('/api/order-lookup/guest/open', { lookupId, code }),

    /**
     * Sends the mail of a lookup without waiting for its job, and returns it; undefined if the shop skipped the mail.
     */
    async mailOf(lookupId: string): Promise<WrittenMail | undefined> {
      const mails = db.selectFrom('mails').select('id').where('verification_id', '=', lookupId);
      const { id } = await mails.executeTakeFirstOrThrow();
      await sendNow(shop, id);
      return (await readMails(config.dataDir)).find((mail) => mail.id === id);
    },

    async codeOf(lookupId: string): Promise<string> {
      return codeIn(await this.mailOf(lookupId));
    },
  };
}

export const codeIn = (mail: WrittenMail | undefined): string =>
  /^ {4}(\d{6})$/m.exec(mail?.text ?? '')?.[1] ?? 'no code';

/** Returns `count` codes that differ from the right one. */
export const wrongCodes = (code: string, count: number): string[] =>
  Array.from({ length: count }, (_, index) => String((Number(code) + index + 1) % 1_000_000).padStart(6, '0'));
