import { useState } from 'react';
import { CallError, messageOf } from '../../lib/api-client.ts';
import { useToasts } from '../../state/toasts.tsx';
import { useReloadDashboard } from './admin-queries.ts';

const RELOAD_AFTER_MS = 500;

/** What is shown of a product before the server has said so. */
export interface Change {
  isActive: boolean;
  isPending: boolean;
}

interface Product {
  _id: string;
  name: string;
  /** Missing means active. */
  isActive?: boolean;
}

interface Sent {
  send(): Promise<unknown>;
  done(name: string): void;
  failed: string;
}

/** Shows products as active or inactive at once, and as they were when the call fails. */
export function useStatusChanges<P extends Product>(loaded: P[]) {
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

  async function change(id: string, isActive: boolean, { send, done, failed }: Sent) {
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

  return {
    products: loaded.map((product): P & Pick<Change, 'isActive'> & Partial<Change> => ({
      ...product,
      isActive: product.isActive !== false,
      ...changes.get(product._id),
    })),
    change,
    remove: (id: string, send: () => Promise<unknown>) =>
      change(id, false, {
        send,
        failed: 'Failed to delete product',
        done: (name) => show({ type: 'success', message: `"${name}" has been deleted` }),
      }),
  };
}
