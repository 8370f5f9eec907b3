import { type SerializedBody, serializeBody } from '../../platform/http/serialized-body.ts';
import { keepNewest } from '../../platform/keep-newest.ts';

const MAX_PAGES = 100;

export interface PageCache {
  get(key: string, madeOf: string, make: () => string): Promise<SerializedBody>;
}

/** Pages, each kept until what it is made of is another. */
export function createPageCache(): PageCache {
  const pages = new Map<string, { madeOf: string; page: Promise<SerializedBody> }>();

  return {
    get(key, madeOf, make) {
      const known = pages.get(key);
      if (known?.madeOf === madeOf) return known.page;
      const page = serializeBody(make(), 'text/html; charset=utf-8');
      keepNewest(pages, key, { madeOf, page }, MAX_PAGES);
      return page;
    },
  };
}
