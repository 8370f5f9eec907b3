// Back closes the topmost modal instead of leaving the page: every open modal stands in the browser's history as an entry of
// its own above its page's, a copy of it but for `modals`, the number of modals that are open there. `synchronise` makes
// history and screen agree after either has changed.

/** What the entries carry: the router's own part, which is kept as it is, and ours. */
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

const stateOfEntry = (): EntryState => (window.history.state as EntryState | null) ?? {};

function currentPlace(): Place {
  const { idx = 0, modals = 0 } = stateOfEntry();
  return { page: window.location.pathname, idx, modals };
}

const isOnSamePage = (one: Place, other: Place) =>
  one.page === other.page && one.idx - one.modals === other.idx - other.modals;

// In the order in which they were opened.
const modals: HTMLDialogElement[] = [];
const openModals = () => modals.filter((modal) => modal.open);

let place = currentPlace();
/** The entry that is being left, between our own history.go() and its popstate. */
let left: { state: EntryState; url: string } | undefined;
let isDue = false;

/** Keeps the history in step with `modal`, which has just been opened; the answer is called once it is closed. */
export function keepInHistory(modal: HTMLDialogElement): () => void {
  modals.push(modal);
  synchroniseSoon();
  return () => {
    modals.splice(modals.indexOf(modal), 1);
    synchroniseSoon();
  };
}

// One modal may make room for another, or for another page, in the same turn.
function synchroniseSoon(): void {
  if (isDue) return;
  isDue = true;
  queueMicrotask(() => {
    isDue = false;
    if (left === undefined) synchronise();
    // A modal was opened before that traversal ended: its page's address is the one to return to.
    else left = { state: stateOfEntry(), url: window.location.href };
  });
}

function synchronise(): void {
  const here = currentPlace();
  // On the same page the router may have replaced a modal's entry, e.g. by one with another filter in its address.
  const isSameEntry = here.page === place.page && here.idx === place.idx;
  place = isSameEntry ? { ...here, modals: place.modals } : here;
  const open = openModals().length;
  if (open < place.modals) {
    left = { state: stateOfEntry(), url: window.location.href };
    window.history.go(open - place.modals);
    return;
  }
  if (here.modals !== place.modals) {
    window.history.replaceState({ ...stateOfEntry(), modals: place.modals }, '');
  }
  for (let count = place.modals + 1; count <= open; count++) {
    window.history.pushState({ ...stateOfEntry(), idx: ++place.idx, modals: count }, '');
  }
  place.modals = open;
}

/** As Escape would, so that whoever asks before closing is asked. */
function requestClose(modal: HTMLDialogElement): void {
  if (modal.dispatchEvent(new Event('cancel', { cancelable: true }))) modal.close();
}

function followTraversal(): void {
  const before = place;
  const returned = left;
  left = undefined;
  place = currentPlace();
  const open = openModals();

  if (returned && place.modals > open.length) {
    // Another page was put on top before the traversal began: it is the one to be on.
    window.history.forward();
    return;
  }
  if (returned && isOnSamePage(place, before) && returned.state.key !== stateOfEntry().key) {
    // The page has changed its address meanwhile, e.g. to say that the dialog is closed.
    window.history.replaceState({ ...returned.state, idx: place.idx, modals: place.modals }, '', returned.url);
  }
  if (place.modals > open.length) {
    // The entry of a modal that was closed: passed over in the direction the visitor goes.
    window.history.go(place.idx < before.idx ? -1 : 1);
    return;
  }
  // One that was opened during our own traversal only needs its entry.
  if (!returned) for (const modal of open.slice(place.modals).reverse()) requestClose(modal);
  synchroniseSoon();
}

// Registered before the router's listener, which so finds the entry as it is corrected here.
window.addEventListener('popstate', followTraversal);
// A page that was reloaded while a modal was open stands on that modal's entry, without the modal.
synchroniseSoon();
