import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FastifyPluginAsync, FastifyReply } from 'fastify';
import { formatShopMoment } from '../../shared/format.ts';
import type { Config } from '../config.ts';
import { html, type Markup } from '../platform/http/html.ts';
import { mailFolder } from '../platform/mail/mail-transport.ts';

export const MAILBOX = '/demo/mailbox';

const MAX_LISTED = 100;

/** Serves the mails that a demo shop has written to files instead of sending them. */
export const mailboxRoutes =
  ({ dataDir, storeName }: Pick<Config, 'dataDir' | 'storeName'>): FastifyPluginAsync =>
  async (app) => {
    app.get(MAILBOX, async (_request, reply) =>
      sendPage(reply, listPage(await listMails(dataDir, MAX_LISTED), storeName)),
    );

    app.get<{ Params: { id: string } }>(`${MAILBOX}/:id`, async (request, reply) => {
      const mail = await findMail(dataDir, request.params.id);
      if (!mail) return sendPage(reply.status(404), missingMailPage(storeName));
      return sendPage(reply, mailPage(mail, storeName));
    });

    app.get<{ Params: { id: string } }>(`${MAILBOX}/:id/html`, async (request, reply) => {
      const mail = await findMail(dataDir, request.params.id);
      if (!mail) return sendPage(reply.status(404), missingMailPage(storeName));
      return send(reply, framedMail(mail), `frame-ancestors 'self'; sandbox ${SANDBOX}`);
    });
  };

const sendPage = (reply: FastifyReply, page: string) =>
  send(reply, page, "img-src 'self'; frame-src 'self'; frame-ancestors 'none'");

/**
 * Sends a page that may use exactly its own styles, each allowed by its hash, because mail programs support only inline
 * styles.
 */
function send(reply: FastifyReply, page: string, policy: string): FastifyReply {
  const styles = [...page.matchAll(/<style>([^<]*)<\/style>|style="([^"]*)"/g)].map(
    ([, sheet, attribute]) => sheet ?? attribute ?? '',
  );
  const hashes = styles.map((style) => `'sha256-${createHash('sha256').update(style).digest('base64')}'`);
  const allowed = ["'unsafe-hashes'", ...new Set(hashes)].join(' ');
  return reply
    .header('cache-control', 'no-store')
    .header(
      'content-security-policy',
      `default-src 'none'; base-uri 'none'; form-action 'none'; style-src ${allowed}; ${policy}`,
    )
    .type('text/html; charset=utf-8')
    .send(page);
}

interface ReadMail {
  id: string;
  subject: string;
  to: string;
  date: Date;
  text: string;
  html: string;
}

// Only ids of this form become part of a path.
const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const ENDING = '.eml';

/** The newest mails that the shop has written under its data folder, the latest first. */
async function listMails(dataDir: string, limit: number): Promise<ReadMail[]> {
  const names = await readdir(mailFolder(dataDir)).catch(() => []);
  // The ids are UUIDs of version 7, which sort by the time of their creation.
  const ids = names.filter((name) => name.endsWith(ENDING)).map((name) => name.slice(0, -ENDING.length));
  const newest = ids.sort().reverse().slice(0, limit);
  const mails = await Promise.all(newest.map((id) => findMail(dataDir, id)));
  return mails.filter((mail) => mail !== undefined);
}

async function findMail(dataDir: string, id: string): Promise<ReadMail | undefined> {
  if (!ID.test(id)) return undefined;
  const source = await readFile(join(mailFolder(dataDir), `${id}${ENDING}`)).catch(() => undefined);
  if (source === undefined) return undefined;
  // Loaded at the first use, because few people read mails here.
  const { default: PostalMime } = await import('postal-mime');
  const { subject = '', to, date, text = '', html = '' } = await PostalMime.parse(source);
  return { id, subject, to: to?.[0]?.address ?? '', date: new Date(date ?? 0), text, html };
}

// The colours of src/web/tokens.css, without a build.
const STYLE = `
:root { color-scheme: light dark; --ink: light-dark(#12211c, #e9f1ed); --muted: light-dark(#51615a, #a0b1a9);
  --accent: light-dark(#0b6650, #58d0a9); --surface: light-dark(#ffffff, #151e1b); --line: light-dark(#d8e0d9, #27332e) }
body { margin: 0; background: light-dark(#f3f6f2, #0d1412); color: var(--ink); font: 1rem/1.55 system-ui, sans-serif }
main { max-width: 44rem; margin: 0 auto; padding: 1.5rem 1rem 3rem; overflow-wrap: anywhere }
h1 { margin: .75rem 0; font-size: 1.75rem; line-height: 1.2 }
a { color: var(--accent) }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px }
nav { display: flex; flex-wrap: wrap; gap: .5rem 1.25rem }
nav a { padding: .25rem 0 }
p, dd { margin: 0; color: var(--muted) }
ul { margin: 1.25rem 0; padding: 0; list-style: none }
li a { display: block; margin-bottom: .75rem; padding: 1rem; color: inherit; text-decoration: none }
li a strong { display: block; color: var(--accent) }
li a:hover strong { text-decoration: underline }
li a, iframe, pre { border: 1px solid var(--line); border-radius: 1rem; background: var(--surface) }
li span { display: block; color: var(--muted); font-size: .875rem }
dl { display: grid; grid-template-columns: auto 1fr; gap: .25rem 1rem }
dt { font-weight: 600 }
iframe { box-sizing: border-box; width: 100%; height: 70vh; min-height: 26rem }
pre { padding: 1rem; white-space: pre-wrap }
summary { padding: .25rem 0; cursor: pointer }
`;

function page(title: string, storeName: string, content: Markup): string {
  return html`<!doctype html>
<html lang="en-MY">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title} - ${storeName}</title>
<link rel="icon" href="/favicon.svg" type="image/svg+xml">
<style>${{ markup: STYLE }}</style>
</head>
<body><main>${content}</main></body>
</html>
`.markup;
}

function listPage(mails: ReadMail[], storeName: string): string {
  const content = html`
<nav aria-label="Mailbox"><a href="/">Back to the shop</a><a href="${MAILBOX}">Look for new mail</a></nav>
<h1>Mailbox</h1>
<p>All mails of this demo shop. None of them is really sent.</p>
${mails.length === 0 ? html`<h2>No mail yet</h2>\n<p>Buy something as a guest, and its mail is here a moment later.</p>` : html`<ul>${mails.map(entry)}</ul>`}`;
  return page('Mailbox', storeName, content);
}

const entry = (mail: ReadMail): Markup => html`
<li><a href="${MAILBOX}/${mail.id}"><strong>${mail.subject}</strong> to ${mail.to}<span>${moment(mail.date)}</span></a></li>`;

function mailPage(mail: ReadMail, storeName: string): string {
  const plain = html`<pre>${mail.text}</pre>`;
  const content = html`
<nav aria-label="Mailbox"><a href="${MAILBOX}">All mail</a><a href="/">Back to the shop</a></nav>
<h1>${mail.subject}</h1>
<dl><dt>To</dt><dd>${mail.to}</dd><dt>Date</dt><dd>${moment(mail.date)}</dd></dl>
${
  mail.html === ''
    ? plain
    : html`<iframe title="${mail.subject}" src="${MAILBOX}/${mail.id}/html" sandbox="${SANDBOX}"></iframe>
<details><summary>As plain text</summary>${plain}</details>`
}`;
  return page(mail.subject, storeName, content);
}

const missingMailPage = (storeName: string): string =>
  page('Mailbox', storeName, html`<h1>There is no such mail</h1><p><a href="${MAILBOX}">All mail</a></p>`);

/** Sandbox of a mail's frame: links may navigate the whole window or open a new one. */
const SANDBOX = 'allow-top-navigation-by-user-activation allow-popups allow-popups-to-escape-sandbox';

/** Returns a mail's HTML part for its frame, with links that open in the whole window. */
const framedMail = (mail: ReadMail): string => mail.html.replace('<head>', '<head><base target="_top">');

const moment = (date: Date): Markup => html`<time datetime="${date.toISOString()}">${formatShopMoment(date)}</time>`;
