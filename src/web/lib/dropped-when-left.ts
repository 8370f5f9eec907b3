import { type ReactNode, useEffect, useState } from 'react';
import { flushSync } from 'react-dom';

/**
 * Unmounts its children, which show secrets, when the page is left. The browser may restore a page as it was left, e.g.
 * when the next person at the device presses Back.
 */
export function DroppedWhenLeft({ children }: { children: ReactNode }): ReactNode {
  const [isLeft, setIsLeft] = useState(false);
  useEffect(() => {
    // At once: the browser keeps what this event leaves.
    const leave = () => flushSync(() => setIsLeft(true));
    const comeBack = () => setIsLeft(false);
    window.addEventListener('pagehide', leave);
    window.addEventListener('pageshow', comeBack);
    return () => {
      window.removeEventListener('pagehide', leave);
      window.removeEventListener('pageshow', comeBack);
    };
  }, []);
  return isLeft ? null : children;
}
