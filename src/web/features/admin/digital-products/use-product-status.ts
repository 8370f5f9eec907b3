import type { AdminDigitalProduct } from '../../../../shared/admin-catalog.ts';
import { call } from '../../../lib/api-client.ts';
import { useToasts } from '../../../state/toasts.tsx';
import { type Change, useStatusChanges } from '../use-status-changes.ts';

const activeOf = (products: AdminDigitalProduct[]) =>
  products.filter(({ isActive }) => isActive !== false).length;

/** Activates, deactivates and deletes at once, and counts with it. */
export function useProductStatus(loaded: AdminDigitalProduct[], counts = { active: 0, inactive: 0 }) {
  const { products, change, remove } = useStatusChanges(loaded);
  const { show } = useToasts();

  const setActive = (id: string, isActive: boolean) =>
    change(id, isActive, {
      send: () => call('PUT /digital-products/:id', { params: { id }, body: { isActive } }),
      failed: 'Failed to update product status',
      done: (name) =>
        show(
          isActive
            ? { type: 'success', message: `"${name}" is now active and visible to customers!` }
            : { type: 'error', message: `"${name}" has been deactivated and hidden from store` },
        ),
    });

  const gained = activeOf(products) - activeOf(loaded);
  return {
    products,
    counts: { active: counts.active + gained, inactive: counts.inactive - gained },
    activate: (id: string) => void setActive(id, true),
    deactivate: (id: string) => void setActive(id, false),
    remove: (id: string) => void remove(id, () => call('DELETE /digital-products/:id', { params: { id } })),
  };
}

/** A product as the list shows it. */
export type ShownProduct = AdminDigitalProduct & Partial<Change>;
