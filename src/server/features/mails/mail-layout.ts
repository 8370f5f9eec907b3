/** One mail's content, of which the plain and the HTML part are both made. All of it is text: markup in it stays inert. */
export interface MailContent {
  subject: string;
  heading: string;
  paragraphs: string[];
  /** Label and amount, as on a receipt; the last row is the sum. */
  receipt: { label: string; amount: string }[];
  action: { label: string; url: string; note: string };
}

export interface Letterhead {
  storeName: string;
  publicUrl: string;
}

export interface RenderedMail {
  subject: string;
  text: string;
  html: string;
}

export function renderMail(content: MailContent, letterhead: Letterhead): RenderedMail {
  return {
    subject: content.subject,
    text: renderText(content, letterhead),
    html: renderHtml(content, letterhead),
  };
}

// A buyer's time zone is not known, so dates carry no time of day; the shop's own zone decides which day it is.
const mailDate = new Intl.DateTimeFormat('en-MY', { dateStyle: 'long', timeZone: 'Asia/Kuala_Lumpur' });

/** As in `20 November 2026`. */
export const formatMailDate = (date: Date): string => mailDate.format(date);

function renderText({ heading, paragraphs, receipt, action }: MailContent, letterhead: Letterhead): string {
  const rows = receipt.map(({ label, amount }) => `${label}  ${amount}`);
  const parts = [
    heading,
    ...paragraphs,
    rows.join('\n'),
    `${action.label}:\n${action.url}`,
    action.note,
    `${letterhead.storeName}\n${letterhead.publicUrl}`,
  ];
  return `${parts.join('\n\n')}\n`;
}

function renderHtml(content: MailContent, letterhead: Letterhead): string {
  const { subject, heading, paragraphs, receipt, action } = content;
  const rows = receipt.map(
    ({ label, amount }, index) => html`<tr style="${index === receipt.length - 1 ? 'font-weight:bold' : ''}">
<td style="padding:4px 16px 4px 0">${label}</td>
<td style="padding:4px 0;text-align:right">${amount}</td>
</tr>`,
  );
  return html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>${subject}</title></head>
<body style="margin:0;padding:24px;font:16px/1.5 system-ui,sans-serif;color:#1f2937;background:#ffffff">
<div style="max-width:560px;margin:0 auto">
<h1 style="font-size:22px">${heading}</h1>
${paragraphs.map((paragraph) => html`<p>${paragraph}</p>\n`)}
<table style="border-collapse:collapse">
${rows}
</table>
<p style="margin:24px 0"><a href="${action.url}" style="display:inline-block;padding:12px 20px;border-radius:8px;background:#1d4ed8;color:#ffffff;text-decoration:none">${action.label}</a></p>
<p>${action.note}</p>
<p style="color:#6b7280;font-size:14px">${letterhead.storeName}<br><a href="${letterhead.publicUrl}" style="color:#6b7280">${letterhead.publicUrl}</a></p>
</div>
</body>
</html>
`.markup;
}

interface Markup {
  markup: string;
}

/** Text put into the template is escaped, so only what is written in this file can be markup. */
function html(template: TemplateStringsArray, ...values: (string | Markup | Markup[])[]): Markup {
  return { markup: String.raw({ raw: template }, ...values.map(toMarkup)) };
}

function toMarkup(value: string | Markup | Markup[]): string {
  if (typeof value === 'string') return escapeHtml(value);
  return Array.isArray(value) ? value.map(({ markup }) => markup).join('') : value.markup;
}

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const escapeHtml = (text: string): string =>
  text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? '');
