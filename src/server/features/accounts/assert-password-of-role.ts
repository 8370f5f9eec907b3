import type { Role } from '../../../shared/accounts.ts';
import { AppError } from '../../../shared/errors.ts';
import { ADMIN_PASSWORD_MIN_LENGTH } from '../../../shared/passwords.ts';

/** What the contract cannot know, because it depends on whose password it is (docs/security.md). `field` is the input's. */
export function assertPasswordOfRole(role: Role, password: string, field: string): void {
  if (role !== 'admin' || password.length >= ADMIN_PASSWORD_MIN_LENGTH) return;
  throw new AppError(
    'VALIDATION_FAILED',
    `Administrators need a password of at least ${ADMIN_PASSWORD_MIN_LENGTH} characters`,
    field,
  );
}
