import type { UserRow } from '../src/server/platform/database/tables.ts';
import { type MadeProduct, makeProduct, type makeUser, TEST_PASSWORD } from './factories.ts';
import { type CartEntry, createShopper, GUEST_PASSWORD, type Shopper } from './shopper.ts';

/** A running shop, in this process or in one of its own, and its database. */
export interface OpenShop {
  url: string;
  deps: Parameters<typeof makeUser>[0];
}

export interface Bought {
  orderId: string;
  buyer: Shopper;
  guest: { email: string; password: string };
  products: MadeProduct[];
  keys(): Promise<string[]>;
}

let guests = 0;

/** Buys units of each of these new products as a new guest, who is signed in afterwards. */
export async function buyAsGuest(
  shop: OpenShop,
  ...units: (Parameters<typeof makeProduct>[1] & { quantity: number })[]
): Promise<Bought> {
  guests += 1;
  const guest = { email: `buying-guest-${guests}@example.com`, password: GUEST_PASSWORD };
  const cart: { product: MadeProduct; quantity: number }[] = [];
  for (const { quantity, ...overrides } of units) {
    cart.push({ product: await makeProduct(shop.deps, { items: quantity, ...overrides }), quantity });
  }
  const buyer = createShopper(shop.url);
  const { orderId } = await buyer.buy(cart, guest);
  const products = cart.map(({ product }) => product);
  return { orderId, buyer, guest, products, keys: () => buyer.readKeys(orderId) };
}

/** Buys as a customer who has TEST_PASSWORD; returns the order's id. */
export async function buyAsCustomer(
  { url }: Pick<OpenShop, 'url'>,
  { email }: Pick<UserRow, 'email'>,
  cart: CartEntry[],
): Promise<string> {
  const buyer = createShopper(url);
  await buyer.signIn(email, TEST_PASSWORD);
  return (await buyer.buy(cart)).orderId;
}
