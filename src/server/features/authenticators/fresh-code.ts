import { AppError } from '../../../shared/errors.ts';
import type { Deps } from '../../deps.ts';
import type { Transaction } from '../../platform/database/open-database.ts';
import { findSecretBesideSession } from './authenticators.queries.ts';
import { assertCode } from './codes.ts';

interface Prover {
  userId: string;
  sessionId: string;
  code: string;
}

/**
 * Runs an action that needs a fresh two-factor code of the administrator, in the transaction that uses the code up.
 * Throws TWO_FACTOR_NOT_SET_UP, INVALID_CODE, RATE_LIMITED.
 */
export async function withFreshCode<T>(
  deps: Deps,
  prover: Prover,
  action: (trx: Transaction) => Promise<T>,
): Promise<T> {
  await assertProvenBy(deps, prover);
  return deps.limits.countFailures('admin-code', { session: prover.sessionId }, () =>
    deps.db.transaction().execute(async (trx) => {
      await assertCode(deps, trx, prover);
      return action(trx);
    }),
  );
}

/** Two-factor must have been enabled before the session began (findSecretBesideSession). */
async function assertProvenBy({ db }: Deps, prover: Prover): Promise<void> {
  const { enabledAt, predatesSession } = (await findSecretBesideSession(db, prover)) ?? {};
  if (predatesSession) return;
  throw new AppError(
    'TWO_FACTOR_NOT_SET_UP',
    enabledAt
      ? 'Two-factor authentication was set up after you signed in: please sign in again with a code first'
      : 'Please set up two-factor authentication in your profile first: this needs a code',
  );
}
