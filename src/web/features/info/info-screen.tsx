import { useQuery } from '@tanstack/react-query';
import { FileX } from 'lucide-react';
import { createElement, Fragment, type ReactNode, useMemo } from 'react';
import { Link, Navigate, NavLink, useParams } from 'react-router';
import { infoLinks } from '../../../shared/pages.ts';
import { messageOf } from '../../lib/api-client.ts';
import { useTitle } from '../../lib/page.ts';
import { isNotFound } from '../../state/answers.ts';
import { infoPageQuery } from '../../state/shop.ts';
import { classNames, Skeleton } from '../../ui/display.tsx';
import { LoadFailure } from '../../ui/loading.tsx';
import { InlinePicture } from '../../ui/prose.tsx';

const textClass = classNames(
  'max-w-reading leading-relaxed',
  '[&_h2]:mt-10 [&_h2]:mb-2 [&_h2]:text-xl [&_h3]:mt-7 [&_h3]:mb-1 [&_h3]:text-lg',
  '[&_p]:my-3 [&_ul]:my-3 [&_ul]:list-disc [&_ul]:pl-6 [&_ol]:my-3 [&_ol]:list-decimal [&_ol]:pl-6 [&_li]:my-1.5',
  '[&_a]:font-semibold [&_a]:text-accent-ink [&_a]:underline',
  '[&_table]:my-4 [&_table]:w-full [&_td]:border-t [&_td]:border-line [&_td]:py-2 [&_td]:pr-4 [&_td]:align-top [&_th]:py-2 [&_th]:pr-4 [&_th]:text-left',
);

/** Shows a page of content/. An unknown page redirects to the home page, as every unknown path does. */
export function InfoScreen() {
  const { slug = '' } = useParams();
  const query = useQuery(infoPageQuery(slug));
  const { data: page, error } = query;
  useTitle(page?.title ?? 'Information');

  if (isNotFound(error)) return <Navigate to="/" replace />;
  return (
    <div className="mx-auto grid max-w-page gap-x-14 gap-y-10 px-4 py-10 sm:px-6 md:grid-cols-[1fr_13rem] print:block">
      {error ? (
        <LoadFailure
          icon={FileX}
          heading="h1"
          title="This page did not load"
          text={messageOf(error, '')}
          query={query}
        />
      ) : (
        <article className="min-w-0" aria-busy={page === undefined}>
          {page ? (
            <>
              <h1 className="mb-6 text-3xl">{page.title}</h1>
              <div className={textClass}>
                <InfoText html={page.html} />
              </div>
            </>
          ) : (
            <div className="grid max-w-reading gap-4">
              <Skeleton className="h-11 w-2/3" />
              <Skeleton className="h-40 w-full" />
            </div>
          )}
        </article>
      )}
      <nav aria-label="Information" className="text-sm md:pt-16 print:hidden">
        <ul className="flex flex-wrap gap-1 md:flex-col">
          {infoLinks.map((link) => (
            <li key={link.slug}>
              <NavLink
                to={`/info/${link.slug}`}
                className={({ isActive }) =>
                  classNames(
                    'flex min-h-11 items-center rounded-md px-3 font-medium hover:bg-accent-soft hover:text-accent-ink',
                    isActive && 'bg-accent-soft text-accent-ink',
                  )
                }>
                {link.label}
              </NavLink>
            </li>
          ))}
        </ul>
      </nav>
    </div>
  );
}

// The elements that Markdown produces. Of any other element only the content is shown.
const elements = new Set(
  'p h2 h3 h4 ul ol li strong em code pre blockquote hr br table thead tbody tr th td'.split(' '),
);

/** Renders the page's HTML as React elements: those in `elements`, pictures, and links, which go through the router. */
function InfoText({ html }: { html: string }) {
  return useMemo(() => {
    const { body } = new DOMParser().parseFromString(html, 'text/html');
    return childrenOf(body);
  }, [html]);
}

const childrenOf = (parent: Node): ReactNode[] => [...parent.childNodes].map(toNode);

function toNode(node: Node, place: number): ReactNode {
  if (node instanceof Text) return node.data;
  if (!(node instanceof HTMLElement)) return null;
  if (node instanceof HTMLAnchorElement) return toLink(node, place);
  if (node instanceof HTMLImageElement) return <InlinePicture key={place} src={node.src} alt={node.alt} />;
  const tag = elements.has(node.localName) ? node.localName : Fragment;
  return createElement(tag, { key: place }, ...childrenOf(node));
}

function toLink(anchor: HTMLAnchorElement, place: number): ReactNode {
  const path = anchor.getAttribute('href') ?? '';
  const text = childrenOf(anchor);
  if (path.startsWith('/')) return createElement(Link, { key: place, to: path }, ...text);
  return createElement('a', { key: place, href: path }, ...text);
}
