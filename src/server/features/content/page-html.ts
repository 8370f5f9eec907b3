import { PAGE_DATA_ELEMENT, type PageData } from '../../../shared/pages.ts';
import { escapeHtml } from '../../platform/http/html.ts';

export interface PageHead {
  title: string;
  description: string;
  storeName: string;
  /** Undefined when search engines must not index the page. */
  canonicalUrl: string | undefined;
  type: 'website' | 'product' | 'article';
  image: { url: string; alt: string };
  /** Further Open Graph properties, e.g. `product:price:amount`. */
  properties: Record<string, string>;
  jsonLd: object | undefined;
  preloads: { as: 'image' | 'script'; url: string }[];
}

const TITLE = /<title>[^<]*<\/title>\s*/;
const DESCRIPTION = /<meta\s+name="description"[^>]*>\s*/;
const SPLASH_NAME = /<b>[^<]*<\/b>/;

/** Makes pages from the built index.html. Throws when a part to be replaced is missing. */
export function createPageTemplate(indexHtml: string, storeName: string) {
  for (const part of [TITLE, DESCRIPTION, SPLASH_NAME]) {
    if (!part.test(indexHtml)) throw new Error(`index.html has nothing like ${part}`);
  }
  const bare = indexHtml
    .replace(TITLE, '')
    .replace(DESCRIPTION, '')
    .replace(SPLASH_NAME, () => `<b>${escapeHtml(storeName)}</b>`);
  const [beforeHeadEnd, afterHead] = cutBefore(bare, '</head>');
  const [beforeBodyEnd, afterBody] = cutBefore(afterHead, '</body>');
  return (head: PageHead, data: PageData): string =>
    [
      beforeHeadEnd,
      headTags(head),
      beforeBodyEnd,
      `<script type="application/json" id="${PAGE_DATA_ELEMENT}">${jsonInScript(data)}</script>\n`,
      afterBody,
    ].join('');
}

function cutBefore(text: string, mark: string): [string, string] {
  const position = text.indexOf(mark);
  if (position === -1) throw new Error(`index.html has no ${mark}`);
  return [text.slice(0, position), text.slice(position)];
}

function headTags(head: PageHead): string {
  const { canonicalUrl } = head;
  const tags = [
    `<title>${escapeHtml(head.title)}</title>`,
    meta('name', 'description', head.description),
    canonicalUrl ? `<link rel="canonical" href="${escapeHtml(canonicalUrl)}">` : meta('name', 'robots', 'noindex'),
    ...(canonicalUrl ? shareTags(head, canonicalUrl) : []),
    ...head.preloads.map(preload),
    ...(head.jsonLd ? [`<script type="application/ld+json">${jsonInScript(head.jsonLd)}</script>`] : []),
  ];
  return `${tags.join('\n')}\n`;
}

function shareTags(head: PageHead, url: string): string[] {
  const openGraph = {
    'og:type': head.type,
    'og:site_name': head.storeName,
    'og:locale': 'en_MY',
    'og:title': head.title,
    'og:description': head.description,
    'og:url': url,
    'og:image': head.image.url,
    'og:image:alt': head.image.alt,
    ...head.properties,
  };
  return [
    ...Object.entries(openGraph).map(([name, content]) => meta('property', name, content)),
    meta('name', 'twitter:card', 'summary_large_image'),
  ];
}

const meta = (key: 'name' | 'property', name: string, content: string) =>
  `<meta ${key}="${name}" content="${escapeHtml(content)}">`;

const preload = ({ as, url }: PageHead['preloads'][number]) =>
  as === 'script'
    ? `<link rel="modulepreload" crossorigin href="${escapeHtml(url)}">`
    : `<link rel="preload" as="image" href="${escapeHtml(url)}">`;

/** Serializes JSON that can neither end its script element nor open a comment in it. */
const jsonInScript = (value: object): string => JSON.stringify(value).replaceAll('<', '\\u003c');
