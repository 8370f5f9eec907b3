import { html, type Markup } from '../../platform/http/html.ts';

/** Content of the plain-text and the HTML part of a mail. All of it is plain text, and markup in it is escaped. */
export interface MailContent {
  subject: string;
  heading: string;
  paragraphs: string[];
  /** A one-time code, large enough to be read off another device. */
  code?: { value: string; note: string };
  /** Label and amount, as on a receipt; the last row is the sum. */
  receipt?: { label: string; amount: string }[];
  action?: { label: string; url: string; note: string };
}

type Letterhead = { storeName: string; publicUrl: string };

export const renderMail = (content: MailContent, letterhead: Letterhead) => ({
  subject: content.subject,
  text: renderText(content, letterhead),
  html: renderHtml(content, letterhead),
});

function renderText({ heading, paragraphs, code, receipt, action }: MailContent, from: Letterhead): string {
  const parts = [
    heading,
    ...paragraphs,
    ...(code ? [`    ${code.value}`, code.note] : []),
    ...(receipt ? [receipt.map(({ label, amount }) => `${label}  ${amount}`).join('\n')] : []),
    ...(action ? [`${action.label}:\n${action.url}`, action.note] : []),
    `${from.storeName}\n${from.publicUrl}`,
  ];
  return `${parts.join('\n\n')}\n`;
}

// The colours of the shop's dark theme. The light colours are inline, for mail programs that drop style sheets. Text
// and background are set together, so that a program that darkens mails changes both or neither.
const DARK = `@media (prefers-color-scheme: dark) {
  .ground { background: #151e1b !important; color: #e9f1ed !important }
  .soft { background: #16352b !important; color: #8be3c5 !important }
  .button { background: #58d0a9 !important; color: #05241b !important }
  .muted { color: #a0b1a9 !important }
}`;

function renderHtml(content: MailContent, from: Letterhead): string {
  const { subject, heading, paragraphs, code, receipt, action } = content;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>${subject}</title>
<style>${{ markup: DARK }}</style>
</head>
<body class="ground" style="margin:0;padding:24px;font:16px/1.5 system-ui,sans-serif;color:#12211c;background:#ffffff">
<div style="max-width:560px;margin:0 auto;overflow-wrap:anywhere">
<h1 style="margin:0;font-size:22px">${heading}</h1>
${paragraphs.map(renderParagraph)}
${code ? renderCode(code) : ''}
${receipt ? renderReceipt(receipt) : ''}
${action ? renderAction(action) : ''}
<p class="muted" style="color:#51615a;font-size:14px">${from.storeName}<br><a class="muted" href="${from.publicUrl}" style="color:#51615a">${from.publicUrl}</a></p>
</div>
</body>
</html>
`.markup;
}

const renderParagraph = (paragraph: string): Markup => html`<p>${paragraph}</p>
`;

const renderCode = ({ value, note }: NonNullable<MailContent['code']>): Markup => html`
<p style="margin:24px 0"><strong class="soft" style="display:inline-block;padding:12px 20px;border-radius:10px;background:#dcefe7;color:#0a5543;font:bold 28px/1.3 ui-monospace,monospace;letter-spacing:6px">${value}</strong></p>
<p>${note}</p>`;

const renderReceipt = (rows: NonNullable<MailContent['receipt']>): Markup => html`
<table style="border-collapse:collapse">
${rows.map(
  ({ label, amount }, index) => html`<tr style="${index === rows.length - 1 ? 'font-weight:bold' : ''}">
<td style="padding:4px 16px 4px 0">${label}</td>
<td style="padding:4px 0;text-align:right;white-space:nowrap">${amount}</td>
</tr>`,
)}
</table>`;

const renderAction = ({ label, url, note }: NonNullable<MailContent['action']>): Markup => html`
<p style="margin:24px 0"><a class="button" href="${url}" style="display:inline-block;padding:12px 20px;border-radius:10px;background:#0b6650;color:#ffffff;text-decoration:none">${label}</a></p>
<p>${note}</p>`;
