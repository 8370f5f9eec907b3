import { createHash } from 'node:crypto';
import type { FastifyPluginAsync, FastifyReply } from 'fastify';
import type { Config } from '../config.ts';
import { findMail, framedMail, listMails, listPage, MAILBOX, mailPage, missingMailPage, SANDBOX } from './mailbox.ts';

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
