import type { AdminOrder, AdminOrderPage } from '../src/shared/admin-orders.ts';
import { makeUser, TEST_PASSWORD } from './factories.ts';
import type { OpenShop } from './purchases.ts';
import { type Answer, createShopper, type Shopper } from './shopper.ts';

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

export async function openAdminOrders(shop: OpenShop): Promise<AdminOrders> {
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
