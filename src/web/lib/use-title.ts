import { useEffect } from 'react';

/** Names the browser's tab after the screen. */
export function useTitle(screen: string, storeName = 'Kedai') {
  useEffect(() => {
    document.title = `${screen} · ${storeName}`;
  }, [screen, storeName]);
}
