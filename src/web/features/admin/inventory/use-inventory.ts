import type { ItemState } from '../../../../shared/inventory.ts';
import { call } from '../../../lib/api-client.ts';
import { useAdminPages } from '../admin-queries.ts';

/** The items of a product, newest first, in one state or all. */
export function useInventory(productId: string, state: ItemState | undefined) {
  return useAdminPages(['inventory', productId, state], (cursor) =>
    call('GET /digital-products/:id/inventory', {
      params: { id: productId },
      query: { limit: 50, ...(state && { state }), ...(cursor !== null && { cursor }) },
    }),
  );
}
