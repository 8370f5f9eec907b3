import type { FastifyRequest } from 'fastify';
import { html } from './html.ts';

const titles: Partial<Record<number, string>> = {
  404: 'There is nothing at this address',
  429: 'Please wait a moment',
  503: 'The shop is busy',
};

/** Whether somebody opens an address in a browser, as opposed to a call, which is answered JSON whatever it accepts. */
export function wantsPage({ method, headers, url }: FastifyRequest): boolean {
  const isPage = !/^\/api(\/|\?|$)/.test(url) && (method === 'GET' || method === 'HEAD');
  return isPage && (headers.accept ?? '').includes('text/html');
}

/** A refusal in words. It loads nothing: the shop may be too busy for that, or limit this visitor. */
export function errorPage(
  { url }: FastifyRequest,
  told: { status: number; message: string; requestId: string; retryAfterSeconds: number | undefined },
): string {
  const { status, message, requestId, retryAfterSeconds } = told;
  const title = titles[status] ?? (status >= 500 ? 'Something went wrong' : 'This page cannot be shown');
  const when = retryAfterSeconds === undefined ? '' : ` You can try again in ${inWords(retryAfterSeconds)}.`;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${title}</title>
</head>
<body>
<main>
<h1>${title}</h1>
<p>${message.replace(/\.?$/, '.')}${when}</p>
<p><a href="${url}">Try again</a></p>
<p><small>Request ${requestId}</small></p>
</main>
</body>
</html>
`.markup;
}

function inWords(seconds: number): string {
  if (seconds < 90) return seconds === 1 ? '1 second' : `${seconds} seconds`;
  return `${Math.ceil(seconds / 60)} minutes`;
}
