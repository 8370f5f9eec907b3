import { createElement, Fragment, type ReactNode, useMemo } from 'react';
import { Link } from 'react-router';

// What Markdown can make. Anything else shows its text alone.
const elements = new Set(
  'p h2 h3 h4 ul ol li strong em code pre blockquote hr br table thead tbody tr th td'.split(' '),
);

/** A page's text as elements of ours: links inside the shop do not load it anew, and nothing else gets through. */
export function InfoText({ html }: { html: string }) {
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
  if (node instanceof HTMLImageElement) return <img key={place} src={node.src} alt={node.alt} />;
  const tag = elements.has(node.localName) ? node.localName : Fragment;
  return createElement(tag, { key: place }, ...childrenOf(node));
}

function toLink(anchor: HTMLAnchorElement, place: number): ReactNode {
  const address = anchor.getAttribute('href') ?? '';
  const text = childrenOf(anchor);
  if (!address.startsWith('/')) {
    return (
      <a key={place} href={address}>
        {text}
      </a>
    );
  }
  return (
    <Link key={place} to={address}>
      {text}
    </Link>
  );
}
