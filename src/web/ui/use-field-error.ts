import { type RefObject, useEffect, useState, useSyncExternalStore } from 'react';

// An error that appears on blur moves what is below it. Were that to happen between the press of the mouse button and
// its release, the release would hit something else and the click would be lost. So errors wait for the release.
let isPressed = false;
let submitted: HTMLFormElement | null = null;
const listeners = new Set<() => void>();

function setPressed(value: boolean) {
  if (isPressed === value) return;
  isPressed = value;
  for (const listener of listeners) listener();
}

const events: { [Name in keyof WindowEventMap]?: (event: WindowEventMap[Name]) => void } = {
  mousedown: ({ button }) => setPressed(button === 0),
  // The click follows in the same task.
  pointerup: () => setTimeout(() => setPressed(false)),
  mouseup: () => setTimeout(() => setPressed(false)),
  // The release may have gone to a menu, a drag or another window.
  pointermove: ({ buttons }) => buttons === 0 && setPressed(false),
  // Fields lose the focus, too, and are heard here.
  blur: ({ target }) => target === window && setPressed(false),
  pointerdown: () => {
    submitted = null;
  },
  keydown: () => {
    submitted = null;
    setPressed(false);
  },
  submit: ({ target }) => {
    submitted = target as HTMLFormElement;
    // An error that stands already does not appear again.
    setTimeout(focusFirstWrongField);
  },
};

function subscribe(listener: () => void) {
  if (listeners.size === 0) toggleEvents('addEventListener');
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    toggleEvents('removeEventListener');
    isPressed = false;
    submitted = null;
  };
}

function toggleEvents(toggle: 'addEventListener' | 'removeEventListener') {
  for (const [name, handler] of Object.entries(events)) window[toggle](name, handler as () => void, true);
}

/** The first wrong field of the form that was submitted last, unless its person has gone on since. */
function focusFirstWrongField() {
  submitted?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
}

/**
 * The error of a field as it is shown: not changed while the mouse button is down. When a submit brings it about, at once
 * or by the server's answer, the first wrong field of the form gets the focus.
 */
export function useFieldError(error: string | undefined, frame: RefObject<HTMLElement | null>) {
  const isHeld = useSyncExternalStore(subscribe, () => isPressed);
  const [last, setLast] = useState(error);
  if (!isHeld && last !== error) setLast(error);
  const shown = isHeld ? last : error;
  useEffect(() => {
    if (shown && submitted?.contains(frame.current)) focusFirstWrongField();
  }, [shown, frame]);
  return shown;
}
