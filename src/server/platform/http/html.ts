export interface Markup {
  markup: string;
}

type Part = string | Markup | Markup[];

/** Text put into the template is escaped, so that only what is written in a template can be markup. */
export function html(template: TemplateStringsArray, ...parts: Part[]): Markup {
  return { markup: String.raw({ raw: template }, ...parts.map(toMarkup)) };
}

function toMarkup(part: Part): string {
  if (typeof part === 'string') return escapeHtml(part);
  return Array.isArray(part) ? part.map(({ markup }) => markup).join('') : part.markup;
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** Text as it may stand in HTML, in an attribute too. */
export const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (character) => entities[character] ?? '');
