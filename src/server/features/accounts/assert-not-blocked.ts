import { AppError } from '../../../shared/errors.ts';
import type { UserRow } from '../../platform/database/tables.ts';

/** For whoever has shown a right password, code or mailed link: to others an account is no different for being blocked. */
export function assertNotBlocked({ blocked_at }: Pick<UserRow, 'blocked_at'>): void {
  if (blocked_at) throw new AppError('ACCOUNT_BLOCKED', 'This account is blocked. Please contact support.');
}
