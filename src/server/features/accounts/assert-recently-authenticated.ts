import { AppError } from '../../../shared/errors.ts';
import type { Deps } from '../../deps.ts';

const RECENT_MS = 10 * 60 * 1_000;

/**
 * For what would give an account away for good: a session that was stolen later than ten minutes after its owner proved
 * password or code cannot do it. Throws REAUTHENTICATION_REQUIRED, upon which browsers ask and repeat the call.
 */
export function assertRecentlyAuthenticated(
  { clock }: Pick<Deps, 'clock'>,
  { authenticatedAt }: { authenticatedAt: Date },
): void {
  if (clock.now().getTime() - authenticatedAt.getTime() <= RECENT_MS) return;
  throw new AppError('REAUTHENTICATION_REQUIRED', 'Please confirm that it is you. Nothing was changed.');
}
