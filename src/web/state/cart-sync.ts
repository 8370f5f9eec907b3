import { call } from '../lib/api-client.ts';
import type { SavedLine } from '../lib/cart-storage.ts';
import { shopNow } from '../lib/shop-clock.ts';
import { storage } from '../lib/storage.ts';
import { findLine } from './cart-actions.ts';
import { mergeCarts } from './merge-carts.ts';
import { withCartLock } from './session.tsx';

/**
 * Syncs the cart of a signed-in shopper with the account, for use on other devices. Returns a function that stops the
 * sync. The screens always use the cart in this browser. A change that cannot be sent is sent silently with the next
 * change.
 */
export function syncCart(token: string): () => void {
  const { guestCart } = storage;
  let isStopped = false;
  let isScheduled = false;
  let isRead = false;
  let lastSync = Promise.resolve();

  // Another tab may have signed out, emptied the cart, and signed in again.
  const isCurrent = () => !isStopped && storage.token.read() === token;

  async function read() {
    const { data } = await call('GET /users/cart');
    if (!isCurrent()) return;
    // Read after the call: lines that any tab removed during it are still in its response.
    const removed = new Set(guestCart.removals());
    guestCart.write(mergeCarts({ local: guestCart.read(), account: data, removed, now: shopNow() }));
    const inAccount = new Set(data.map(({ product }) => product._id));
    guestCart.forgetRemovals(guestCart.removals().filter((id) => !inAccount.has(id)));
    isRead = true;
  }

  async function sendRemovals() {
    // Removed one by one: another device may have added lines that this browser has not read.
    for (const id of guestCart.removals()) {
      if (!isCurrent() || findLine(id)) continue;
      if (await succeeds(call('DELETE /users/cart/:id', { params: { id } }))) guestCart.forgetRemovals([id]);
    }
  }

  async function sendQuantities() {
    for (const { _id: id } of guestCart.read().map(({ product }) => product)) {
      // The line may have changed while the previous one was sent.
      const { quantity, syncedQuantity } = findLine(id) ?? {};
      if (quantity === undefined || quantity === syncedQuantity || !isCurrent()) continue;
      const isSent = await succeeds(call('PUT /users/cart/:id', { params: { id }, body: { quantity } }));
      if (!isSent || !isCurrent()) continue;
      const synced = (line: SavedLine) => (line.product._id === id ? { ...line, syncedQuantity: quantity } : line);
      guestCart.write(guestCart.read().map(synced));
    }
  }

  async function sync() {
    isScheduled = false;
    if (!isCurrent()) return;
    if (!isRead && !(await succeeds(read()))) return;
    await sendRemovals();
    await sendQuantities();
  }

  // Changes during a sync are sent by the next sync. A second tab then has nothing left to send.
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

  const unsubscribe = guestCart.subscribe(schedule);
  document.addEventListener('visibilitychange', readAgain);
  schedule();
  return () => {
    isStopped = true;
    unsubscribe();
    document.removeEventListener('visibilitychange', readAgain);
  };
}

const succeeds = (attempt: Promise<unknown>): Promise<boolean> =>
  attempt.then(
    () => true,
    () => false,
  );
