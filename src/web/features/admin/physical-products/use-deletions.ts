import { useState } from 'react';
import type { PhysicalProduct } from '../../../../shared/admin-catalog.ts';
import { CallError, call, messageOf } from '../../../lib/api-client.ts';
import { useToasts } from '../../../state/toasts.tsx';
import { useReloadDashboard } from '../admin-queries.ts';

/** Shows a product as inactive at once, and as it was when the call fails. */
export function useDeletions() {
  const [deleted, setDeleted] = useState<ReadonlySet<string>>(new Set());
  const { show } = useToasts();
  const reload = useReloadDashboard();

  const mark = (id: string) => setDeleted((before) => new Set(before).add(id));
  const unmark = (id: string) => setDeleted((before) => new Set([...before].filter((other) => other !== id)));

  async function remove({ _id: id, name }: PhysicalProduct) {
    mark(id);
    try {
      await call('deletePhysicalProduct', { params: { id } });
      show({ type: 'success', message: `"${name}" has been deleted` });
      await reload();
    } catch (failure) {
      const isSilent = failure instanceof CallError && failure.silent;
      if (!isSilent) show({ type: 'error', message: messageOf(failure, 'Failed to delete product') });
    }
    unmark(id);
  }

  return {
    asShown: (product: PhysicalProduct): PhysicalProduct =>
      deleted.has(product._id) ? { ...product, isActive: false } : product,
    remove: (product: PhysicalProduct) => void remove(product),
  };
}
