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
