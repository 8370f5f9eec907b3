import { call } from '../lib/api-client.ts';
import { storage } from '../lib/storage.ts';
import { withCartLock } from './cart-lock.ts';
import { mergeCarts } from './merge-carts.ts';

/**
 * Keeps the cart of a signed-in shopper in their account, too, so that it follows them from device to device; answers the
 * way to stop. The cart in this browser stays the one in use: what cannot be sent is sent at its next change, without a
 * word.
 */
export function keepCartInAccount(token: string): () => void {
  let isStopped = false;
  let isAsked = false;
  let isRead = false;
  let inAccount = new Set(
    storage.guestCart.read().flatMap(({ product, keptQuantity }) => (keptQuantity ? [product._id] : [])),
  );
  let lastExchange = Promise.resolve();

  // Another tab may have ended the session, with it emptied the cart, and begun another.
  const isOwners = () => !isStopped && storage.token.read() === token;

  const removedHere = () => {
    const local = new Set(storage.guestCart.read().map(({ product }) => product._id));
    return [...inAccount].filter((id) => !local.has(id));
  };

  async function read() {
    const { data } = await call('getCart');
    if (!isOwners()) return;
    const removed = new Set(removedHere());
    const local = storage.guestCart.read();
    storage.guestCart.write(mergeCarts({ local, account: data, removed, now: new Date() }));
    inAccount = new Set(data.map(({ product }) => product._id));
    isRead = true;
  }

  async function sendRemovals() {
    if (storage.guestCart.read().length === 0 && inAccount.size > 0) {
      if (await succeeds(call('clearCart'))) inAccount.clear();
      return;
    }
    for (const id of removedHere()) {
      if (isOwners() && (await succeeds(call('removeFromCart', { params: { id } })))) inAccount.delete(id);
    }
  }

  async function sendQuantities() {
    for (const { product, quantity, keptQuantity } of storage.guestCart.read()) {
      if (quantity === keptQuantity || !isOwners()) continue;
      const { _id: id } = product;
      if (!(await succeeds(call('setCartQuantity', { params: { id }, body: { quantity } })))) continue;
      inAccount.add(id);
      const entries = storage.guestCart.read();
      storage.guestCart.write(
        entries.map((entry) => (entry.product._id === id ? { ...entry, keptQuantity: quantity } : entry)),
      );
    }
  }

  async function exchange() {
    isAsked = false;
    if (!isOwners()) return;
    if (!isRead && !(await succeeds(read()))) return;
    await sendRemovals();
    await sendQuantities();
  }

  // Changes that come while an exchange is under way are sent together by the next; a second tab finds everything sent.
  function ask() {
    if (isAsked) return;
    isAsked = true;
    lastExchange = lastExchange.then(() => withCartLock(exchange));
  }

  // Whoever comes back to this tab may have shopped on their phone meanwhile. A payment under way is left alone.
  function lookAgain() {
    if (document.visibilityState !== 'visible' || window.location.pathname === '/checkout') return;
    isRead = false;
    ask();
  }

  const unsubscribe = storage.guestCart.subscribe(ask);
  document.addEventListener('visibilitychange', lookAgain);
  ask();
  return () => {
    isStopped = true;
    unsubscribe();
    document.removeEventListener('visibilitychange', lookAgain);
  };
}

const succeeds = async (attempt: Promise<unknown>): Promise<boolean> => {
  const [{ status }] = await Promise.allSettled([attempt]);
  return status === 'fulfilled';
};
