import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { vi } from 'vitest';
import type { KindOfGoods, MadeProduct } from '../factories.ts';
import { type Answer, createShopper, intentIdOf, type Shopper } from '../shopper.ts';
import type { FaultWorld } from './fault-world.ts';

/** A guest with a cart, on the way through the checkout; the browser and its cookies outlive the shop's process. */
export interface Purchase {
  /** The products in the cart, one of each kind of goods. */
  goods: { kind: KindOfGoods; product: MadeProduct }[];
  /** The first of them. */
  product: MadeProduct;
  email: string;
  readonly orderId: string;
  readonly intentId: string;
  /** The first step: the order and its payment. */
  open(quantity?: number): Promise<Answer>;
  confirmCard(card?: string): Promise<Answer>;
  /** The last step, the browser's word that it has paid. */
  place(): Promise<Answer>;
  /** The browser goes on with another process of the shop. */
  moveTo(url: string): void;
}

let guests = 0;

export async function newPurchase(
  world: FaultWorld,
  url: string,
  units = 1,
  kinds: readonly KindOfGoods[] = ['digital'],
): Promise<Purchase> {
  guests += 1;
  const email = `guest-${guests}@example.com`;
  const password = `a-password-of-guest-${guests}`;
  world.keepSecret(password);
  const goods: Purchase['goods'] = [];
  for (const kind of kinds) goods.push({ kind, product: await world.makeGoods(kind, units) });
  const [first] = goods;
  if (!first) throw new Error('A purchase is of one kind of goods at least');
  let browser = createShopper(url);
  let quantity = 1;
  let clientSecret = '';
  let orderId = '';
  const cart = () => goods.map(({ product }) => ({ product, quantity }));

  return {
    goods,
    product: first.product,
    email,
    get orderId() {
      return orderId;
    },
    get intentId() {
      return intentIdOf(clientSecret);
    },
    open: async (wanted = quantity) => {
      quantity = wanted;
      const answer = await browser.openPayment(cart(), { email });
      clientSecret = answer.body.clientSecret ?? '';
      orderId = answer.body.orderId ?? '';
      return answer;
    },
    confirmCard: (card) => browser.confirmCard(clientSecret, card),
    place: () => browser.placeOrder(cart(), clientSecret, { email, password }),
    moveTo: (address) => {
      const { cookies } = browser;
      browser = createShopper(address);
      for (const [name, value] of cookies) browser.cookies.set(name, value);
    },
  };
}

/** What a guest reads who has nothing left but the order's mail: follows its link and opens the order. */
export const readKeysByMail = async (world: FaultWorld, url: string, orderId: string): Promise<string[]> =>
  (await claimByMail(world, url, orderId)).readKeys(orderId);

/** The guest, signed in by that link. */
export async function claimByMail(world: FaultWorld, url: string, orderId: string): Promise<Shopper> {
  const claimToken = await claimTokenInMail(world, orderId);
  const password = 'a-password-chosen-by-mail';
  world.keepSecret(password);
  const buyer = createShopper(url);
  const claimed = await buyer.post('/api/auth/claim', { claimToken, password });
  buyer.setToken(claimed.body.token);
  return buyer;
}

function claimTokenInMail(world: FaultWorld, orderId: string): Promise<string> {
  return vi.waitFor(
    async () => {
      const { id } = await world.db
        .selectFrom('mails')
        .select('id')
        .where('order_id', '=', orderId)
        .where('sent_at', 'is not', null)
        .executeTakeFirstOrThrow();
      const folder = join(world.dataDir, 'mail');
      const name = readdirSync(folder).find((file) => file.includes(id)) ?? '';
      const mail = readFileSync(join(folder, name), 'utf8').replaceAll('=\r\n', '').replaceAll('=3D', '=');
      const [, token] = /\/claim\?token=([\w-]+)/.exec(mail) ?? [];
      if (token === undefined) throw new Error('The mail has no claim link');
      return token;
    },
    { timeout: 60_000, interval: 50 },
  );
}
