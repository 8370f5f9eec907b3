import { useState } from 'react';
import type { AdminDigitalProduct } from '../../../../shared/admin-catalog.ts';
import { CallError, call, messageOf } from '../../../lib/api-client.ts';
import { useToasts } from '../../../state/toasts.tsx';
import { useReloadDashboard } from '../admin-queries.ts';

const RELOAD_AFTER_MS = 500;

/** What is shown of a product before the server has said so. */
interface Change {
  isActive: boolean;
  isPending: boolean;
}

interface Counts {
  active: number;
  inactive: number;
}

const NONE: Counts = { active: 0, inactive: 0 };

/** Activates, deactivates and deletes at once, and undoes it when the call fails. */
export function useStatusChanges(loaded: AdminDigitalProduct[], { active, inactive }: Counts = NONE) {
  const [changes, setChanges] = useState<ReadonlyMap<string, Change>>(new Map());
  const { show } = useToasts();
  const reload = useReloadDashboard();

  const put = (id: string, change: Change) => setChanges((before) => new Map(before).set(id, change));
  const drop = (id: string, change: Change) =>
    setChanges((before) => {
      if (before.get(id) !== change) return before;
      const after = new Map(before);
      after.delete(id);
      return after;
    });

  async function change(
    id: string,
    isActive: boolean,
    { send, done, failed }: { send(): Promise<unknown>; done(name: string): void; failed: string },
  ) {
    const product = loaded.find(({ _id }) => _id === id);
    if (!product) return show({ type: 'error', message: 'Product not found' });
    const shown = { isActive, isPending: true };
    put(id, shown);
    try {
      await send();
    } catch (failure) {
      drop(id, shown);
      const isSilent = failure instanceof CallError && failure.silent;
      if (!isSilent) show({ type: 'error', message: messageOf(failure, failed) });
      return;
    }
    done(product.name);
    const settled = { isActive, isPending: false };
    put(id, settled);
    setTimeout(() => void reload().finally(() => drop(id, settled)), RELOAD_AFTER_MS);
  }

  const setActive = (id: string, isActive: boolean) =>
    change(id, isActive, {
      send: () => call('updateDigitalProduct', { params: { id }, body: { isActive } }),
      failed: 'Failed to update product status',
      done: (name) =>
        show(
          isActive
            ? { type: 'success', message: `"${name}" is now active and visible to customers!` }
            : { type: 'error', message: `"${name}" has been deactivated and hidden from store` },
        ),
    });

  const remove = (id: string) =>
    change(id, false, {
      send: () => call('deleteDigitalProduct', { params: { id } }),
      failed: 'Failed to delete product',
      done: (name) => show({ type: 'success', message: `"${name}" has been deleted` }),
    });

  const turned = loaded.filter(({ _id, isActive }) => (changes.get(_id)?.isActive ?? isActive) !== isActive);
  const gained = turned.reduce((sum, { isActive }) => sum + (isActive ? -1 : 1), 0);
  return {
    products: loaded.map((product) => ({ ...product, ...changes.get(product._id) })),
    counts: { active: active + gained, inactive: inactive - gained },
    activate: (id: string) => void setActive(id, true),
    deactivate: (id: string) => void setActive(id, false),
    remove: (id: string) => void remove(id),
  };
}

/** A product as the list shows it. */
export type ShownProduct = AdminDigitalProduct & Partial<Change>;
