import type { AdminOrder, AdminOrderPage } from '../src/shared/admin-orders.ts';
import { type MadeProduct, makeProduct, makeUser, TEST_PASSWORD } from './factories.ts';
import { type Answer, createShopper, intentIdOf, type Shopper } from './shopper.ts';
import type { TestShop } from './test-shop.ts';

export interface OrdersAnswer {
  data: AdminOrder[];
  nextCursor: string | null;
  total: number;
}

/** An administrator's calls about orders. */
export interface AdminOrders {
  admin: Shopper;
  email: string;
  list(type: 'digital' | 'physical' | 'both', query?: Record<string, string>): Promise<OrdersAnswer>;
  /** An order's page. */
  page(orderId: string): Promise<AdminOrderPage>;
  /** Changes an order by the call whose path ends with `action`. */
  act(orderId: string, action: string, body?: object): Promise<Answer & { page: AdminOrderPage }>;
}

const paths = { digital: '/api/admin/digital-orders', physical: '/api/orders', both: '/api/admin/orders' };

export async function openAdminOrders(shop: TestShop): Promise<AdminOrders> {
  const { email } = await makeUser(shop.deps, { role: 'admin' });
  const admin = createShopper(shop.url);
  await admin.signIn(email, TEST_PASSWORD);
  return {
    admin,
    email,
    list: async (type, query = {}) => {
      const { body } = await admin.get(`${paths[type]}?${new URLSearchParams(query)}`);
      return body as unknown as OrdersAnswer;
    },
    page: async (orderId) => {
      const { body } = await admin.get(`/api/admin/orders/${orderId}`);
      return body.data as unknown as AdminOrderPage;
    },
    act: async (orderId, action, body = {}) => {
      const method = action === 'status' ? 'PUT' : 'POST';
      const answer = await admin.send(method, `/api/admin/orders/${orderId}/${action}`, body);
      return { ...answer, page: answer.body.data as unknown as AdminOrderPage };
    },
  };
}

export interface Bought {
  orderId: string;
  buyer: Shopper;
  guest: { email: string; password: string };
  products: MadeProduct[];
  keys(): Promise<string[]>;
}

let guests = 0;

/** A guest who has paid for so many units of each of these products, and is signed in. */
export async function buy(
  shop: TestShop,
  ...units: (Parameters<typeof makeProduct>[1] & { quantity: number })[]
): Promise<Bought> {
  guests += 1;
  const guest = { email: `desk-guest-${guests}@example.com`, password: 'a-guest-chooses' };
  const cart: { product: MadeProduct; quantity: number }[] = [];
  for (const { quantity, ...overrides } of units) {
    cart.push({ product: await makeProduct(shop.deps, { items: quantity, ...overrides }), quantity });
  }
  const buyer = createShopper(shop.url);
  const { clientSecret = '', orderId = '' } = (await buyer.openPayment(cart, guest)).body;
  await buyer.confirmCard(clientSecret);
  const placed = await buyer.placeOrder(cart, clientSecret, guest);
  if (placed.status !== 201) throw new Error(`${intentIdOf(clientSecret)}: ${JSON.stringify(placed.body)}`);
  buyer.setToken(placed.body.data?.token);
  return {
    orderId,
    buyer,
    guest,
    products: cart.map(({ product }) => product),
    keys: async () => {
      const { body } = await buyer.get(`/api/digital-orders/${orderId}/items`);
      const lines = (body.data?.items ?? []) as { items: { content: string }[] }[];
      return lines.flatMap(({ items }) => items.map(({ content }) => content));
    },
  };
}
