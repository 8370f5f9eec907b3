import { PAGE_DATA_ELEMENT, type PageData } from '../../shared/page-data.ts';

function readPageData(): PageData | undefined {
  const text = document.getElementById(PAGE_DATA_ELEMENT)?.textContent;
  return text ? JSON.parse(text) : undefined;
}

/** What the server's HTML carries for this visit's first screen; undefined on a page that Vite serves. */
export const pageData = readPageData();
