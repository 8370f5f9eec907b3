import { call } from '../lib/api-client.ts';
import { storage } from '../lib/storage.ts';
import { mergeCarts } from './merge-carts.ts';
import { withCartLock } from './session.tsx';

/**
 * Syncs the cart of a signed-in shopper with their account, for use on other devices; returns a function that stops it. The
 * cart in this browser stays the one in use: a change that cannot be sent is sent with the next change, silently.
 */
export function syncCart(token: string): () => void {
  let isStopped = false;
  let isScheduled = false;
  let isRead = false;
  let lastSync = Promise.resolve();

  // Another tab may have signed out, emptied the cart, and signed in again.
  const isCurrent = () => !isStopped && storage.token.read() === token;

  const ownRemovals = () => storage.guestCart.removals(ownerOf());

  async function read() {
    const { data } = await call('GET /users/cart');
    if (!isCurrent()) return;
    // Read after the call: lines that any tab removed during it are still in its response.
    const removed = new Set(ownRemovals());
    const local = storage.guestCart.read();
    storage.guestCart.write(mergeCarts({ local, account: data, removed, now: new Date() }));
    const inAccount = new Set(data.map(({ product }) => product._id));
    storage.guestCart.forgetRemovals(ownRemovals().filter((id) => !inAccount.has(id)));
    isRead = true;
  }

  async function sendRemovals() {
    const removed = ownRemovals();
    if (removed.length > 1 && storage.guestCart.read().length === 0) {
      if (await succeeds(call('DELETE /users/cart'))) storage.guestCart.forgetRemovals(removed);
      return;
    }
    for (const id of removed) {
      if (!isCurrent() || lineOf(id)) continue;
      if (await succeeds(call('DELETE /users/cart/:id', { params: { id } }))) storage.guestCart.forgetRemovals([id]);
    }
  }

  async function sendQuantities() {
    for (const { product } of storage.guestCart.read()) {
      const { _id: id } = product;
      // The line may have changed while the previous one was sent.
      const { quantity, syncedQuantity } = lineOf(id) ?? {};
      if (quantity === undefined || quantity === syncedQuantity || !isCurrent()) continue;
      if (!(await succeeds(call('PUT /users/cart/:id', { params: { id }, body: { quantity } })))) continue;
      if (!isCurrent()) return;
      const lines = storage.guestCart.read();
      if (!lineOf(id)) storage.guestCart.addRemoval(id, ownerOf());
      else {
        storage.guestCart.write(
          lines.map((line) => (line.product._id === id ? { ...line, syncedQuantity: quantity } : line)),
        );
      }
    }
  }

  async function sync() {
    isScheduled = false;
    if (!isCurrent()) return;
    if (!isRead && !(await succeeds(read()))) return;
    await sendRemovals();
    await sendQuantities();
  }

  // Changes during a sync are sent together by the next one; a second tab finds everything sent.
  function schedule() {
    if (isScheduled) return;
    isScheduled = true;
    lastSync = lastSync.then(() => withCartLock(sync));
  }

  // The cart may have changed on another device while this tab was hidden. The checkout is not disturbed.
  function readAgain() {
    if (document.visibilityState !== 'visible' || window.location.pathname === '/checkout') return;
    isRead = false;
    schedule();
  }

  const unsubscribe = storage.guestCart.subscribe(schedule);
  document.addEventListener('visibilitychange', readAgain);
  schedule();
  return () => {
    isStopped = true;
    unsubscribe();
    document.removeEventListener('visibilitychange', readAgain);
  };
}

const lineOf = (id: string) => storage.guestCart.read().find(({ product }) => product._id === id);

const ownerOf = () => storage.user.read()?._id ?? '';

const succeeds = async (attempt: Promise<unknown>): Promise<boolean> => {
  const [{ status }] = await Promise.allSettled([attempt]);
  return status === 'fulfilled';
};
