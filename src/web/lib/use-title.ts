import { useEffect } from 'react';
import { pageData } from './page-data.ts';

/** Names the browser's tab after the screen. */
export function useTitle(screen: string, storeName = pageData?.shop.storeName ?? 'Kedai') {
  useEffect(() => {
    document.title = `${screen} · ${storeName}`;
  }, [screen, storeName]);
}
