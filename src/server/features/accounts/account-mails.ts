import type { Deps } from '../../deps.ts';
import { hashToken, randomToken } from '../../platform/crypto/random-token.ts';
import type { Transaction } from '../../platform/database/open-database.ts';
import type { UserRow } from '../../platform/database/tables.ts';
import type { MailContents } from '../mails/mail-contents.ts';
import { formatMailDate, type MailContent } from '../mails/mail-layout.ts';
import { countMailsSent, type MailRow } from '../mails/mails.queries.ts';
import { type AccountLink, dropAccountLinks, insertAccountLink } from './account-links.queries.ts';
import { findUser, findUserByEmail } from './accounts.queries.ts';
import { isOvertaken } from './is-overtaken.ts';

const HOUR_MS = 60 * 60 * 1_000;
/** Of one kind to one address, or at one user's wish. */
const LINKS_AN_HOUR = 3;

const NOT_YOU = 'If you did not ask for this, you need not do anything: without the link nothing changes.';

type MailDeps = Pick<Deps, 'clock' | 'config'>;

/**
 * What the mails about an account say. Whether there is such an account, and whether it was written to too often, is
 * decided here, after the call that asked has been answered: so that its answer, and the time it takes, tells nothing.
 */
export const accountMails: Pick<
  MailContents,
  'password-reset' | 'password-changed' | 'email-change' | 'email-changed' | 'email-verification'
> = {
  'password-reset': async (deps, trx, mail) => {
    const user = await findUserByEmail(trx, mail.recipient);
    const url = user && (await linkTo(deps, trx, mail, { user, path: '/reset-password', hours: 1 }));
    if (!url) return undefined;
    const note = `The link works once, within one hour, and signs out all devices. ${NOT_YOU}`;
    return mailOf(
      'Choose a new password',
      [`Somebody asked for a new password for the account of this address at ${deps.config.storeName}.`],
      { label: 'Choose a new password', url, note },
    );
  },

  'password-changed': async ({ config }, _trx, { created_at }) =>
    mailOf(
      'Your password was changed',
      [
        `The password of your account was changed on ${formatMailDate(created_at)}. Other devices are signed out.`,
        ifNotYou(config),
      ],
      signIn(config),
    ),

  'email-verification': async (deps, trx, mail) => {
    const user = await userOf(trx, mail);
    if (!user || user.email_verified_at) return undefined;
    const url = await linkTo(deps, trx, mail, { user, path: '/confirm-email', hours: 24 });
    if (!url) return undefined;
    const purpose =
      'By opening the link, signed in to your account, you show that this address is yours. Orders that were placed ' +
      'with it are then found in your account.';
    const note = `The link works once, within 24 hours. ${NOT_YOU}`;
    return mailOf('Confirm your e-mail address', [purpose], { label: 'Confirm this address', url, note });
  },

  'email-change': async (deps, trx, mail) => {
    if (await findUserByEmail(trx, mail.recipient)) return addressTaken(deps, trx, mail);
    const user = await userOf(trx, mail);
    const url = user && (await linkTo(deps, trx, mail, { user, path: '/confirm-email', hours: 24 }));
    if (!url) return undefined;
    const purpose =
      `Somebody wants to use this address for an account at ${deps.config.storeName}. The account has its old address ` +
      'until you open the link, signed in to it.';
    const note = `The link works once, within 24 hours, and signs out other devices. ${NOT_YOU}`;
    return mailOf('Confirm your new e-mail address', [purpose], { label: 'Use this address', url, note });
  },

  'email-changed': async ({ config }, _trx, { created_at }) =>
    mailOf('Your e-mail address was changed', [
      `On ${formatMailDate(created_at)} your account got another e-mail address, which its owner confirmed. This ` +
        'address no longer opens it.',
      ifNotYou(config),
    ]),
};

/** For the owner of an address that somebody else's account is to change to. */
async function addressTaken(
  deps: MailDeps,
  trx: Transaction,
  mail: MailRow,
): Promise<MailContent | undefined> {
  if (await isTooMany(deps, trx, mail)) return undefined;
  const { config } = deps;
  const what =
    `Somebody wanted to use this address for another account at ${config.storeName}. It has one already, so nothing ` +
    'was changed. If that was you, just sign in with this address.';
  return mailOf('You have an account already', [what], signIn(config));
}

const mailOf = (subject: string, paragraphs: string[], action?: MailContent['action']): MailContent => ({
  subject,
  heading: subject,
  paragraphs,
  ...(action && { action }),
});

const ifNotYou = ({ contact }: Deps['config']): string =>
  `If that was not you, please write to ${contact.email} at once.`;

const signIn = ({ publicUrl }: Deps['config']) => ({
  label: 'Sign in',
  url: `${publicUrl}/login`,
  note: 'If you no longer know your password, choose "Forgot password" there.',
});

const userOf = (trx: Transaction, mail: MailRow): Promise<UserRow | undefined> =>
  mail.user_id === null ? Promise.resolve(undefined) : findUser(trx, mail.user_id);

/** A new link of the mail's kind; undefined when it would be worthless, or too many were mailed. */
async function linkTo(
  deps: MailDeps,
  trx: Transaction,
  mail: MailRow,
  { user, path, hours }: { user: UserRow; path: string; hours: number },
): Promise<string | undefined> {
  const { recipient: email, created_at } = mail;
  const asked = { kind: mail.kind as AccountLink['kind'], email, created_at };
  if (user.blocked_at || isOvertaken(asked, user) || (await isTooMany(deps, trx, mail))) return undefined;
  const now = deps.clock.now();
  // Of several links to new addresses only the last one counts.
  if (asked.kind === 'email-change') await dropAccountLinks(trx, { userId: user.id, kind: asked.kind, now });
  const token = randomToken();
  await insertAccountLink(trx, {
    ...asked,
    token_hash: hashToken(token),
    user_id: user.id,
    expires_at: new Date(now.getTime() + hours * HOUR_MS),
    used_at: null,
  });
  return `${deps.config.publicUrl}${path}?token=${token}`;
}

async function isTooMany({ clock }: MailDeps, trx: Transaction, mail: MailRow): Promise<boolean> {
  const since = new Date(clock.now().getTime() - HOUR_MS);
  const sent = await countMailsSent(trx, { ...mail, userId: mail.user_id, since });
  return sent >= LINKS_AN_HOUR;
}
