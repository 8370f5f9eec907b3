import type { Deps } from '../../deps.ts';
import { hashToken, randomToken } from '../../platform/crypto/random-token.ts';
import type { Transaction } from '../../platform/database/open-database.ts';
import type { UserRow } from '../../platform/database/tables.ts';
import type { MailContents } from '../mails/mail-contents.ts';
import { formatMailDate, type MailContent } from '../mails/mail-layout.ts';
import { countMailsSent, type MailRow } from '../mails/mails.queries.ts';
import { type AccountLink, dropEmailChanges, insertAccountLink } from './account-links.queries.ts';
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
    return url
      ? {
          subject: 'Choose a new password',
          heading: 'Choose a new password',
          paragraphs: [
            `Somebody asked for a new password for the account of this address at ${deps.config.storeName}.`,
          ],
          action: {
            label: 'Choose a new password',
            url,
            note: `The link works once, within one hour, and signs out all devices. ${NOT_YOU}`,
          },
        }
      : undefined;
  },

  'email-verification': async (deps, trx, mail) => {
    const user = await userOf(trx, mail);
    if (user?.email_verified_at) return undefined;
    const url = user && (await linkTo(deps, trx, mail, { user, path: '/confirm-email', hours: 24 }));
    return url
      ? {
          subject: 'Confirm your e-mail address',
          heading: 'Confirm your e-mail address',
          paragraphs: [
            'By opening the link you show that this address is yours. Orders that were placed with it are then ' +
              'found in your account.',
          ],
          action: {
            label: 'Confirm this address',
            url,
            note: `The link works once, within 24 hours. ${NOT_YOU}`,
          },
        }
      : undefined;
  },

  'email-change': async (deps, trx, mail) => {
    const [user, owner] = [await userOf(trx, mail), await findUserByEmail(trx, mail.recipient)];
    if (owner) return (await isTooMany(deps, trx, mail)) ? undefined : addressTaken(deps);
    const url = user && (await linkTo(deps, trx, mail, { user, path: '/confirm-email', hours: 24 }));
    return url
      ? {
          subject: 'Confirm your new e-mail address',
          heading: 'Confirm your new e-mail address',
          paragraphs: [
            `Somebody wants to use this address for an account at ${deps.config.storeName}. The account has its old ` +
              'address until you open the link.',
          ],
          action: {
            label: 'Use this address',
            url,
            note: `The link works once, within 24 hours, and signs out other devices. ${NOT_YOU}`,
          },
        }
      : undefined;
  },

  'email-changed': async (deps, _trx, mail) => ({
    subject: 'Your e-mail address was changed',
    heading: 'Your e-mail address was changed',
    paragraphs: [
      `On ${formatMailDate(mail.created_at)} your account got another e-mail address, which its owner confirmed. ` +
        'This address no longer opens it.',
      notByYou(deps),
    ],
  }),

  'password-changed': async (deps, _trx, mail) => ({
    subject: 'Your password was changed',
    heading: 'Your password was changed',
    paragraphs: [
      `The password of your account was changed on ${formatMailDate(mail.created_at)}. Other devices are signed out.`,
      notByYou(deps),
    ],
    action: {
      label: 'Sign in',
      url: `${deps.config.publicUrl}/login`,
      note: 'If you no longer know your password, choose "Forgot password" there.',
    },
  }),
};

const notByYou = ({ config }: MailDeps): string =>
  `If that was not you, please write to ${config.contact.email} at once.`;

const addressTaken = ({ config }: MailDeps): MailContent => ({
  subject: 'You have an account already',
  heading: 'You have an account already',
  paragraphs: [
    `Somebody wanted to use this address for another account at ${config.storeName}. It has one already, so nothing ` +
      'was changed. If that was you, just sign in with this address.',
  ],
  action: {
    label: 'Sign in',
    url: `${config.publicUrl}/login`,
    note: 'If you no longer know your password, choose "Forgot password" there.',
  },
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
  const asked = {
    kind: mail.kind as AccountLink['kind'],
    email: mail.recipient,
    created_at: mail.created_at,
  };
  if (isOvertaken(asked, user) || (await isTooMany(deps, trx, mail))) return undefined;
  const now = deps.clock.now();
  if (asked.kind === 'email-change') await dropEmailChanges(trx, { userId: user.id, now });
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
