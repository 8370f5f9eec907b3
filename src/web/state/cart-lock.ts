/**
 * Does `work` while nothing else, in whatever tab, talks with the account about the cart; after `patienceMs` also then.
 * Browsers lend locks to safe origins only: elsewhere it is done at once.
 */
export async function withCartLock(work: () => Promise<void>, patienceMs?: number): Promise<void> {
  if (!('locks' in navigator)) return work();
  const options = patienceMs === undefined ? {} : { signal: AbortSignal.timeout(patienceMs) };
  let hasBegun = false;
  const locked = navigator.locks.request('cart', options, () => {
    hasBegun = true;
    return work();
  });
  const [{ status }] = await Promise.allSettled([locked]);
  if (status === 'rejected' && !hasBegun) await work();
}
