import { useEffect, useRef } from 'react';

/** Returns a ref that tells work that outlives its screen or dialog, such as a late response, whether that is still shown. */
export function useIsShown() {
  const isShown = useRef(false);
  useEffect(() => {
    isShown.current = true;
    return () => {
      isShown.current = false;
    };
  }, []);
  return isShown;
}
