import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createTransport, type NodemailerError, type SendMailOptions } from 'nodemailer';
import { publicHost } from '../../../shared/text.ts';
import type { Clock } from '../database/database-clock.ts';

export interface MailMessage {
  /** A UUID. Names the file of a message that is not sent by SMTP. */
  id: string;
  /** A UUID. Messages with the same one are the same message to a mailbox, which may show only the first. */
  messageId: string;
  to: string;
  subject: string;
  text: string;
  html: string;
}

export interface MailTransport {
  /** Resolves when the mail server has accepted the message. Throws MailRefused for a permanent rejection. */
  send(message: MailMessage): Promise<void>;
}

interface MailSettings {
  /** Undefined: messages are written as files. */
  smtpUrl: string | undefined;
  dataDir: string;
  mailFrom: { name: string; address: string };
  /** Undefined: answers go to the sender. */
  mailReplyTo: string | undefined;
  clock: Clock;
}

/** The mail server rejected the message permanently: no such mailbox, or unacceptable content. */
export class MailRefused extends Error {}

const CONNECT_TIMEOUT_MS = 10_000;
const SEND_TIMEOUT_MS = 40_000;

/** Longer than the delivery of a message to the mail server can take. */
export const MAIL_PATIENCE_MS = 60_000;

export function createMailTransport(settings: MailSettings): MailTransport {
  const deliver = settings.smtpUrl === undefined ? writeToFolder(settings.dataDir) : sendBySmtp(settings.smtpUrl);
  return { send: async (message) => deliver(message.id, compose(settings, message)) };
}

type Deliver = (id: string, mail: SendMailOptions) => Promise<void>;

const compose = (
  { mailFrom: from, mailReplyTo: replyTo, clock }: MailSettings,
  { messageId, to, subject, text, html }: MailMessage,
) => ({
  from,
  replyTo,
  date: clock.now(),
  to: { name: '', address: singleAddress(to) },
  subject,
  text,
  html,
  messageId: `<${messageId}@${from.address.slice(from.address.lastIndexOf('@') + 1)}>`,
  headers: { 'Auto-Submitted': 'auto-generated' },
  disableFileAccess: true,
  disableUrlAccess: true,
});

/** A second check of the address: it must not contain a further address or a header line. */
function singleAddress(address: string): string {
  if (/^[^\s\p{C}<>()[\]:;,"\\@]+@[^\s\p{C}<>()[\]:;,"\\@]+$/u.test(address)) return address;
  throw new MailRefused('The recipient is not a single email address');
}

/**
 * A server that is not on a private network must offer TLS: otherwise, an attacker who hides STARTTLS reads the password
 * and the mailed links. The query of the URL wins over these options.
 */
export const smtpOptions = (url: string) => ({
  url,
  requireTLS: publicHost.test(new URL(url).hostname.toLowerCase()),
  connectionTimeout: CONNECT_TIMEOUT_MS,
  greetingTimeout: CONNECT_TIMEOUT_MS,
  socketTimeout: SEND_TIMEOUT_MS,
});

function sendBySmtp(url: string): Deliver {
  const smtp = createTransport(smtpOptions(url));
  return async (_id, mail) => {
    try {
      await smtp.sendMail({ ...mail, signal: AbortSignal.timeout(SEND_TIMEOUT_MS) });
    } catch (error) {
      throw withoutAddresses(error as NodemailerError);
    }
  };
}

// Enhanced status codes 5.7.* (RFC 3463): the mail server does not allow this client, e.g. to relay. This fails for
// every recipient until the operator has fixed it, so the mail is not refused for good. Some servers, e.g. Exim, send
// only a text.
const POLICY = /^5\d\d[ -](5\.7\.|(?!5\.\d).*\b(relay|relaying|authentication)\b)/i;
// The account has reached its daily limit (Gmail).
const LIMIT = /^5\d\d[ -]5\.4\.5\b/;

/** Removes sender and recipient, which the library's error contains and the log must not contain. */
function withoutAddresses(error: NodemailerError): Error {
  const { code = 'unknown', originalCode, responseCode, response = '', permanent = false, rejected = [] } = error;
  // A refused connection and an expired certificate are both ESOCKET; their original codes differ.
  const codes = [code, originalCode, responseCode].filter((part) => part !== undefined);
  const summary = `The mail server did not take the message: ${codes.join(' ')}`;
  const isRefusedRecipient = rejected.length > 0 && !POLICY.test(response);
  const refused = permanent && !LIMIT.test(response) && (code === 'EMESSAGE' || isRefusedRecipient);
  return refused ? new MailRefused(summary) : new Error(summary);
}

export const mailFolder = (dataDir: string): string => join(dataDir, 'mail');

/** Writes messages as files that only the owner can read: a message may have a link that opens an account. */
function writeToFolder(dataDir: string): Deliver {
  const folder = mailFolder(dataDir);
  const composer = createTransport({ streamTransport: true, buffer: true, newline: 'windows' });
  return async (id, mail) => {
    const { message } = await composer.sendMail(mail);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    // Renamed when complete, so that a reader of the folder never sees an incomplete message.
    const draft = join(folder, `.${id}.tmp`);
    await writeFile(draft, message, { mode: 0o600 });
    await rename(draft, join(folder, `${id}.eml`));
  };
}
