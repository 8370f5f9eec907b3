import type { MarkdownIt } from 'markdown-it';

export interface RenderedMarkdown {
  /** The text of the first heading. */
  title: string;
  /** The text of the first paragraph, without marks. */
  description: string;
  /** Everything but the first heading. */
  html: string;
}

let parser: Promise<MarkdownIt> | undefined;

// Needed by the few who read an information page, so not part of every start.
async function loadParser(): Promise<MarkdownIt> {
  const { default: Parser } = await import('markdown-it');
  return new Parser({ html: false, linkify: false, typographer: true });
}

/**
 * Renders what an owner wrote. HTML in it counts as text, and links that could run something are not made, so that the
 * outcome can be put into a page as it is. `{name}` stands for the value of that name.
 */
export async function renderMarkdown(
  source: string,
  values: Record<string, string>,
): Promise<RenderedMarkdown> {
  parser ??= loadParser();
  const markdown = await parser;
  const filled = source.replace(/\{(\w+)\}/g, (whole, name: string) =>
    Object.hasOwn(values, name) ? escapeMarkdown(values[name] ?? '') : whole,
  );
  const tokens = markdown.parse(filled, {});
  const textAfter = (type: string) => {
    const content = tokens[tokens.findIndex((token) => token.type === type) + 1];
    return (content?.children ?? [])
      .map(({ type, content }) => (type === 'softbreak' ? ' ' : content))
      .join('');
  };
  const hasTitle = tokens[0]?.type === 'heading_open';
  return {
    title: hasTitle ? textAfter('heading_open') : '',
    description: textAfter('paragraph_open'),
    html: markdown.renderer.render(hasTitle ? tokens.slice(3) : tokens, markdown.options, {}),
  };
}

// Markdown takes a backslash before any punctuation, also inside the address of a link.
const escapeMarkdown = (text: string) => text.replace(/[!-/:-@[-`{-~]/g, '\\$&');
