import { formatShopMoment } from '../../../shared/format.ts';
import type { Deps } from '../../deps.ts';
import type { MailContent } from '../mails/mail-layout.ts';
import type { MailContents } from '../mails/send-mail.ts';

/** They tell the owner that somebody, perhaps a thief, has changed how the account is protected. */
export const twoFactorMails = {
  'two-factor-enabled': async ({ config }, _trx, { created_at }) =>
    mailOf(
      config,
      'Two-factor authentication was switched on',
      `On ${formatShopMoment(created_at)} two-factor authentication was switched on for your account. Signing in now also ` +
        'asks for a code from the authenticator app that was set up, or for one of its backup codes. Other devices are ' +
        'signed out.',
    ),

  'two-factor-disabled': async ({ config }, _trx, { created_at }) =>
    mailOf(
      config,
      'Two-factor authentication was switched off',
      `On ${formatShopMoment(created_at)} two-factor authentication was switched off for your account. The password alone ` +
        'opens it now. Other devices are signed out.',
    ),

  'backup-codes-renewed': async ({ config }, _trx, { created_at }) =>
    mailOf(
      config,
      'You have new backup codes',
      `On ${formatShopMoment(created_at)} ten new backup codes were made for your account. The earlier ones no longer work.`,
    ),
} satisfies Partial<MailContents>;

const mailOf = ({ contact, publicUrl }: Deps['config'], subject: string, what: string): MailContent => ({
  subject,
  heading: subject,
  paragraphs: [
    what,
    `If that was not you, somebody else is in your account: choose a new password at once, which signs out all devices, and write to ${contact.email}.`,
  ],
  action: {
    label: 'Choose a new password',
    url: `${publicUrl}/forgot-password`,
    note: 'If that was you, you need not do anything.',
  },
});
