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
  let lastExchange = Promise.resolve();

  // Another tab may have ended the session, with it emptied the cart, and begun another.
  const isOwners = () => !isStopped && storage.token.read() === token;

  const ownRemovals = () => storage.guestCart.removals(ownerOf());

  async function read() {
    const { data } = await call('GET /users/cart');
    if (!isOwners()) return;
    // Asked for now, not before the call: what was removed meanwhile, in whatever tab, is still in its answer.
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
      if (!isOwners() || entryOf(id)) continue;
      if (await succeeds(call('DELETE /users/cart/:id', { params: { id } })))
        storage.guestCart.forgetRemovals([id]);
    }
  }

  async function sendQuantities() {
    for (const { product } of storage.guestCart.read()) {
      const { _id: id } = product;
      // Removed or changed, perhaps, while the one before it was sent.
      const { quantity, keptQuantity } = entryOf(id) ?? {};
      if (quantity === undefined || quantity === keptQuantity || !isOwners()) continue;
      if (!(await succeeds(call('PUT /users/cart/:id', { params: { id }, body: { quantity } })))) continue;
      if (!isOwners()) return;
      const entries = storage.guestCart.read();
      if (!entryOf(id)) storage.guestCart.addRemoval(id, ownerOf());
      else {
        storage.guestCart.write(
          entries.map((entry) => (entry.product._id === id ? { ...entry, keptQuantity: quantity } : entry)),
        );
      }
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

const entryOf = (id: string) => storage.guestCart.read().find(({ product }) => product._id === id);

const ownerOf = () => storage.user.read()?._id ?? '';

const succeeds = async (attempt: Promise<unknown>): Promise<boolean> => {
  const [{ status }] = await Promise.allSettled([attempt]);
  return status === 'fulfilled';
};
