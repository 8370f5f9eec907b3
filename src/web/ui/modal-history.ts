// Back closes the topmost modal instead of leaving the page. Every open modal has an entry in the browser's history above
// that of its page: a copy of the page's entry with `modals`, the number of open modals. `synchronise` makes history and
// screen agree after either has changed.

/** State of a history entry: the router's fields, which are kept, and `modals`. */
interface EntryState {
  key?: string;
  /** Position in the history, as the router counts. */
  idx?: number;
  modals?: number;
}

interface Place {
  page: string;
  idx: number;
  modals: number;
}

interface Entry {
  state: EntryState;
  url: string;
}

const stateOfEntry = (): EntryState => (window.history.state as EntryState | null) ?? {};
const currentEntry = (): Entry => ({ state: stateOfEntry(), url: window.location.href });

function currentPlace(): Place {
  const { idx = 0, modals = 0 } = stateOfEntry();
  return { page: window.location.pathname, idx, modals };
}

const isOnSamePage = (one: Place, other: Place) =>
  one.page === other.page && one.idx - one.modals === other.idx - other.modals;

const dialogs: HTMLDialogElement[] = [];
const openModals = () => dialogs.filter((modal) => modal.open);

let place = currentPlace();
/**
 * Set between our own history.go() and its popstate event: the entry being left, the position of the destination and,
 * in `next`, an entry that the user's action added.
 */
let left: (Entry & { destination: number; next: Entry | undefined }) | undefined;
let isDue = false;

/** Keeps the history in step with an opened modal. Call the returned function once the modal is closed. */
export function keepInHistory(modal: HTMLDialogElement): () => void {
  dialogs.push(modal);
  synchroniseSoon();
  return () => {
    dialogs.splice(dialogs.indexOf(modal), 1);
    synchroniseSoon();
  };
}

// Waits for a microtask, because one task may replace a modal by another modal or page.
function synchroniseSoon(): void {
  if (isDue) return;
  isDue = true;
  queueMicrotask(() => {
    isDue = false;
    if (left === undefined) synchronise();
    // A modal was opened or closed before our traversal ended: `followTraversal` restores the URL of its page.
    else keepChange(false);
  });
}

/** Remembers the current entry, which our traversal is about to leave, for `followTraversal` to write again. */
function keepChange(isAdded: boolean): void {
  if (left) left = { ...left, ...(isAdded || left.next ? { next: currentEntry() } : currentEntry()) };
}

function synchronise(): void {
  const here = currentPlace();
  // On the same page the router may have replaced a modal's entry, e.g. by one with another filter in its URL.
  const isSameEntry = here.page === place.page && here.idx === place.idx;
  place = isSameEntry ? { ...here, modals: place.modals } : here;
  const open = openModals().length;
  if (open < place.modals) {
    goBackTo(open);
    return;
  }
  markEntry();
  for (let count = place.modals + 1; count <= open; count++) {
    window.history.pushState({ ...stateOfEntry(), idx: ++place.idx, modals: count }, '');
  }
  place.modals = open;
}

/** Goes back over the entries of closed modals to the entry with `open` modals, and pushes `next` there. */
function goBackTo(open: number, next?: Entry): void {
  const steps = open - place.modals;
  left = { ...currentEntry(), destination: place.idx + steps, next };
  markEntry();
  window.history.go(steps);
}

/** Restores `modals` in an entry that the router has replaced, so that it is skipped once the modal is closed. */
function markEntry(): void {
  if (currentPlace().modals === place.modals) return;
  window.history.replaceState({ ...stateOfEntry(), modals: place.modals }, '');
}

/** Closes a modal as Escape does: a dialog with unsaved input asks first. */
function requestClose(modal: HTMLDialogElement): void {
  if (modal.dispatchEvent(new Event('cancel', { cancelable: true }))) modal.close();
}

function followTraversal(): void {
  const before = place;
  const returned = left;
  left = undefined;
  place = currentPlace();
  const open = openModals();

  if (returned && place.modals > open.length && place.idx > returned.destination) {
    // Another page was opened before the traversal began: stay on that page.
    window.history.forward();
    return;
  }
  if (returned && isOnSamePage(place, before)) {
    if (returned.state.key !== stateOfEntry().key) {
      // The page has changed its URL meanwhile, e.g. to remove the closed dialog.
      window.history.replaceState({ ...returned.state, idx: place.idx, modals: place.modals }, '', returned.url);
    }
    if (place.modals > open.length) {
      // Another modal was closed during the traversal.
      goBackTo(open.length, returned.next);
      return;
    }
    if (returned.next) {
      window.history.pushState({ ...returned.next.state, idx: place.idx + 1, modals: 0 }, '', returned.next.url);
      place = currentPlace();
    }
  }
  if (place.modals > open.length) {
    // The entry belongs to a closed modal: skip it in the visitor's direction.
    window.history.go(place.idx < before.idx ? -1 : 1);
    return;
  }
  // A modal that was opened during our own traversal only needs its entry.
  if (!returned) for (const modal of open.slice(place.modals).reverse()) requestClose(modal);
  synchroniseSoon();
}

// Registered before the router's listener, which must find the corrected entry.
window.addEventListener('popstate', followTraversal);
// Not every browser has the Navigation API. Without it, a press during the few milliseconds of a traversal may be lost.
window.navigation?.addEventListener('currententrychange', ({ navigationType }) => {
  if (navigationType !== 'traverse') keepChange(navigationType === 'push');
});
// After a reload with an open modal the page is on the modal's entry, without the modal.
synchroniseSoon();
