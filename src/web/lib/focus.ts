import { type RefObject, useEffect, useReducer, useRef } from 'react';

/**
 * Returns a ref, and a function that focuses its element once the page is rendered. For an action whose pressed button may
 * be gone after it: by then its dialog, which returns the focus to the button, has closed.
 */
export function useFocusAfter<T extends HTMLElement>(): [element: RefObject<T | null>, focus: () => void] {
  const element = useRef<T>(null);
  const [timesDone, countDone] = useReducer((times: number) => times + 1, 0);
  useEffect(() => {
    if (timesDone > 0) element.current?.focus();
  }, [timesDone]);
  return [element, countDone];
}

/**
 * Remembers which element has the focus. The returned function is called after an action that may have removed that element,
 * or disabled it. If the focus is lost, it goes to the nearest part of the page that is left: of a list, to the next entry.
 */
export function rememberFocus(): () => void {
  const parts: Element[] = [];
  for (let part = document.activeElement; part !== null; part = part.parentElement) {
    parts.push(part);
    const neighbours = part.matches('li') ? [part.nextElementSibling, part.previousElementSibling] : [];
    parts.push(...neighbours.filter((entry) => entry !== null));
  }
  function restore() {
    if (document.activeElement !== document.body) return;
    const target = parts.map(focusTargetIn).find((found) => found !== undefined);
    if (target === undefined) return;
    if (!target.hasAttribute('tabindex')) target.tabIndex = -1;
    target.focus({ preventScroll: true });
  }
  // After the next frame, the result of the action is rendered, and a disabled element has lost the focus.
  return () => requestAnimationFrame(() => setTimeout(restore));
}

// A dialog that was closed is still visible while it fades.
const isShown = (element: HTMLElement) => element.checkVisibility() && !element.closest('dialog:not([open])');

function focusTargetIn(part: Element): HTMLElement | undefined {
  const candidates = part.matches('[tabindex]') ? [part] : [...part.querySelectorAll('h1, h2, h3')];
  return (candidates as HTMLElement[]).find(isShown);
}
