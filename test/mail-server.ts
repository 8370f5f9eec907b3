import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { type ParsedMail, parseMail } from './mail-folder.ts';

export interface ReceivedMail extends ParsedMail {
  /** From the envelope, which decides who gets the mail. */
  sender: string;
  recipients: string[];
  /** Whether the connection used TLS, and which user had authenticated. */
  secure: boolean;
  user: string | undefined;
}

type Step = 'MAIL' | 'RCPT' | 'DATA';

export const SMTP_PASSWORD = 'p@ss:word/1';

export interface MailServerOptions extends SMTPServerOptions {
  /** For example the port of an earlier server; any free port by default. */
  port?: number;
  /** The SMTP reply code with which a step is refused. */
  refuse?: Partial<Record<Step, number>>;
  /** What it says to that. */
  refusal?: string;
}

/** Starts a real mail server on loopback that keeps what it accepts. It knows one password, but does not require it. */
export async function startMailServer({
  port = 0,
  refuse = {},
  refusal = 'refused: buyer@example.com',
  ...options
}: MailServerOptions = {}) {
  const received: ReceivedMail[] = [];
  const refusalOf = (step: Step) =>
    refuse[step] === undefined ? null : Object.assign(new Error(refusal), { responseCode: refuse[step] });
  const server = new SMTPServer({
    authOptional: true,
    ...options,
    onAuth: ({ username, password }, _session, done) =>
      password === SMTP_PASSWORD ? done(null, { user: username }) : done(new Error('wrong password')),
    onMailFrom: (_address, _session, done) => done(refusalOf('MAIL')),
    onRcptTo: (_address, _session, done) => done(refusalOf('RCPT')),
    onData: async (stream, { envelope, secure, user }, done) => {
      const mail = await parseMail(await text(stream));
      const refusal = refusalOf('DATA');
      if (!refusal) {
        received.push({
          ...mail,
          sender: envelope.mailFrom ? envelope.mailFrom.address : '',
          recipients: envelope.rcptTo.map(({ address }) => address),
          secure,
          user,
        });
      }
      done(refusal);
    },
  });
  // A client that does not trust the certificate closes the connection.
  server.on('error', () => undefined);
  await new Promise<void>((resolve) => {
    server.listen(port, '127.0.0.1', resolve);
  });
  return {
    received,
    port: (server.server.address() as AddressInfo).port,
    stop: () => new Promise<void>((resolve) => server.close(resolve)),
  };
}

export type MailServer = Awaited<ReturnType<typeof startMailServer>>;
