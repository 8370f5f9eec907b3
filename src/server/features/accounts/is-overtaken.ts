import type { UserRow } from '../../platform/database/tables.ts';
import type { AccountLink } from './account-links.queries.ts';

/**
 * Whether an account has moved on since a link was asked for: its password was changed, perhaps to put out whoever asked,
 * or the link was for an address that it no longer has.
 */
export function isOvertaken(
  { kind, email, created_at }: Pick<AccountLink, 'kind' | 'email' | 'created_at'>,
  user: UserRow,
): boolean {
  if (user.password_changed_at && user.password_changed_at >= created_at) return true;
  return kind !== 'email-change' && email !== user.email;
}
