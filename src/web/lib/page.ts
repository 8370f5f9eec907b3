import { PAGE_DATA_ELEMENT, type PageData } from '../../shared/pages.ts';
import { useEffect } from 'react';

function readPageData(): PageData | undefined {
  const text = document.getElementById(PAGE_DATA_ELEMENT)?.textContent;
  return text ? JSON.parse(text) : undefined;
}

/** The data that the server embeds in the HTML for the first screen; undefined on a page that Vite serves. */
export const pageData = readPageData();

/** Sets the title of the browser's tab. */
export function useTitle(screen: string, storeName = pageData?.shop.storeName ?? 'Kedai') {
  useEffect(() => {
    document.title = `${screen} · ${storeName}`;
  }, [screen, storeName]);
}
