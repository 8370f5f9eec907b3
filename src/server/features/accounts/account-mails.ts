import { formatShopMoment } from '../../../shared/format.ts';
import type { Deps } from '../../deps.ts';
import type { Transaction } from '../../platform/database/database.ts';
import type { UserRow } from '../../platform/database/tables.ts';
import { countMailsSent, type MailRow } from '../mails/mails.queries.ts';
import type { MailContent, MailContents } from '../mails/send-mail.ts';
import { findUser, findUserByEmail, isEmailReserved, isEmailWanted, type Purpose } from './accounts.queries.ts';
import { createLink, createLinkOf, isLinkStale } from './mailed-links.ts';

/** Mails of one kind per hour and user, or per recipient if the mail belongs to no user. */
const LINKS_AN_HOUR = 3;
/**
 * Mails to one recipient by all users together. More than for one user, so that a user who types another person's
 * address does not use up that person's mails.
 */
const LINKS_OF_ALL_USERS_AN_HOUR = 12;

const NOT_YOU = 'If you did not ask for this, you need not do anything: without the link nothing changes.';

type MailDeps = Pick<Deps, 'clock' | 'config'>;

/** Makes a mail about a security setting that was changed, in case a thief changed it. */
const mailAbout =
  (subject: string, what: string): MailContents[keyof MailContents] =>
  async ({ config: { contact, publicUrl } }, _trx, { created_at }) => {
    const warning =
      'If that was not you, somebody else is in your account: choose a new password at once, which signs out all ' +
      `devices, and write to ${contact.email}.`;
    const note = 'If that was you, you need not do anything.';
    const action = { label: 'Choose a new password', url: `${publicUrl}/forgot-password`, note };
    return mailOf(subject, [`On ${formatShopMoment(created_at)} ${what}`, warning], action);
  };

/** Makes these mails in the job, after the response, so that neither it nor its duration tells who has an account. */
export const accountMails = {
  'two-factor-enabled': mailAbout(
    'Two-factor authentication was switched on',
    'two-factor authentication was switched on for your account. Signing in now also asks for a code from the ' +
      'authenticator app that was set up, or for one of its backup codes. Other devices are signed out.',
  ),
  'two-factor-disabled': mailAbout(
    'Two-factor authentication was switched off',
    'two-factor authentication was switched off for your account. The password alone opens it now. Other devices are ' +
      'signed out.',
  ),
  'backup-codes-renewed': mailAbout(
    'You have new backup codes',
    'ten new backup codes were made for your account. The earlier ones no longer work.',
  ),

  'password-reset': async (deps, trx, mail) => {
    const user = await findUserByEmail(trx, mail.recipient);
    const url = user && (await linkTo(deps, trx, mail, user));
    if (!url) return undefined;
    const what = `Somebody asked for a new password for the account of this address at ${deps.config.storeName}.`;
    const note = `The link works once, within one hour, and signs out all devices. ${NOT_YOU}`;
    return mailOf('Choose a new password', [what], { label: 'Choose a new password', url, note });
  },

  'password-changed': async ({ config }, _trx, { created_at }) => {
    const at = formatShopMoment(created_at);
    const what = `The password of your account was changed on ${at}. Other devices are signed out.`;
    return mailOf('Your password was changed', [what, ifNotYou(config)], signIn(config));
  },

  'email-verification': async (deps, trx, mail) => {
    const user = await userOf(trx, mail);
    if (!user || user.email_verified_at) return undefined;
    const url = await linkTo(deps, trx, mail, user);
    if (!url) return undefined;
    const purpose =
      'By opening the link, signed in to your account, you show that this address is yours. Orders that were placed ' +
      'with it are then found in your account.';
    const note = `The link works once, within 24 hours. ${NOT_YOU}`;
    return mailOf('Confirm your email address', [purpose], { label: 'Confirm this address', url, note });
  },

  'email-change': async (deps, trx, mail) => {
    const { recipient: email, user_id: userId } = mail;
    const isTaken =
      (await findUserByEmail(trx, email)) ?? (await isEmailReserved(trx, { email, userId, now: deps.clock.now() }));
    if (isTaken) {
      if (await isTooMany(deps, trx, mail)) return undefined;
      const what =
        `Somebody wanted to use this address for another account at ${deps.config.storeName}. It has one already, so ` +
        'nothing was changed. If that was you, just sign in with this address.';
      return mailOf('You have an account already', [what], signIn(deps.config));
    }
    // The user has cancelled or replaced the change since the request.
    if (userId === null || !(await isEmailWanted(trx, userId, email))) return undefined;
    const user = await userOf(trx, mail);
    const url = user && (await linkTo(deps, trx, mail, user));
    if (!url) return undefined;
    const purpose =
      `Somebody wants to use this address for an account at ${deps.config.storeName}. The account has its old address ` +
      'until you open the link, signed in to it.';
    const note = `The link works once, within 24 hours, and signs out other devices. ${NOT_YOU}`;
    return mailOf('Confirm your new email address', [purpose], { label: 'Use this address', url, note });
  },

  'email-changed': async (deps, trx, mail) => {
    const what =
      `On ${formatShopMoment(mail.created_at)} your account got another email address, which was confirmed. This ` +
      'address no longer opens the account.';
    // Without a valid verification, the change cannot be undone from this address.
    const url = mail.verification_id === null ? undefined : await createLinkOf(deps, trx, mail.verification_id);
    const subject = 'Your email address was changed';
    if (!url) return mailOf(subject, [what, ifNotYou(deps.config)]);
    const advice = 'If that was you, you need not do anything. If it was not, take your account back at once.';
    return mailOf(subject, [what, advice], { label: 'Undo the change', url, note: UNDO_NOTE });
  },

  'email-restored': async (deps, trx, mail) => {
    const user = await userOf(trx, mail);
    if (!user || user.blocked_at || user.email !== mail.recipient || user.password_hash !== null) return undefined;
    const now = deps.clock.now().getTime();
    // Later than password_changed_at, even if a process with a faster clock wrote it, so that the link is not stale.
    const created_at = new Date(Math.max(now, (user.password_changed_at?.getTime() ?? 0) + 1));
    const { id: user_id, email } = user;
    const link = { purpose: 'password-reset', mail_id: mail.id, user_id, email, created_at } as const;
    const url = await createLink(deps, trx, link);
    const what =
      `On ${formatShopMoment(mail.created_at)} the change of your email address was undone, by the link that we had ` +
      'mailed to this address. The account is yours again, all devices are signed out, and its password is void.';
    const note =
      'The link works once, within one hour. After that, choose "Forgot password" where you sign in. Please use a ' +
      'password that you use nowhere else.';
    return mailOf('Your email address is restored', [what], { label: 'Choose a new password', url, note });
  },

  'email-change-undone': async ({ config }, _trx, { created_at }) =>
    mailOf('The change of an email address was undone', [
      `An account at ${config.storeName} had this email address. On ${formatShopMoment(created_at)} the owner of its ` +
        'earlier address undid the change, and the account has the earlier address again.',
      ifNotYou(config),
    ]),
} satisfies Partial<MailContents>;

const UNDO_NOTE =
  'The link works once, within 7 days. It gives the account this address again, signs out all devices and lets you ' +
  'choose a new password. Do not pass this mail on.';

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

/** Creates a link of the mail's kind. Returns undefined for a blocked user, a stale link, or after too many mails. */
async function linkTo(deps: MailDeps, trx: Transaction, mail: MailRow, user: UserRow): Promise<string | undefined> {
  const { recipient: email, created_at } = mail;
  const link = { purpose: mail.kind as Purpose, mail_id: mail.id, email, created_at };
  if (user.blocked_at || isLinkStale(link, user, deps.clock.now()) || (await isTooMany(deps, trx, mail)))
    return undefined;
  return createLink(deps, trx, { ...link, user_id: user.id });
}

async function isTooMany({ clock }: MailDeps, trx: Transaction, mail: MailRow): Promise<boolean> {
  const { toRecipient, forUser } = await countMailsSent(trx, mail, clock.now());
  if (mail.user_id === null) return toRecipient >= LINKS_AN_HOUR;
  return forUser >= LINKS_AN_HOUR || toRecipient >= LINKS_OF_ALL_USERS_AN_HOUR;
}
