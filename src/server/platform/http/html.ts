export type Markup = { markup: string };

type Part = string | Markup | Markup[];

/** Escapes the inserted texts, so that only the template itself and other templates are markup. */
export const html = (template: TemplateStringsArray, ...parts: Part[]): Markup => ({
  markup: String.raw({ raw: template }, ...parts.map(toMarkup)),
});

function toMarkup(part: Part): string {
  if (typeof part === 'string') return escapeHtml(part);
  return Array.isArray(part) ? part.map(({ markup }) => markup).join('') : part.markup;
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** Escapes a text for HTML, also for an attribute. */
export const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (character) => entities[character] ?? '');
