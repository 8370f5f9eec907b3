import { AppError } from '../../../shared/errors.ts';

/** Throws EDIT_CONFLICT when the locked product was changed since `version`, where one is given, was read. */
export function assertSameVersion(row: { version: number }, version: number | undefined): void {
  if (version === undefined || version === row.version) return;
  throw new AppError(
    'EDIT_CONFLICT',
    'Someone else changed this product meanwhile. Load the newer version and look at what you changed once more.',
  );
}
