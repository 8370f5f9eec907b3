import { AppError } from '../../../shared/errors.ts';
import type { Deps } from '../../deps.ts';
import type { Client } from '../../platform/http/client.ts';

export const linkInvalid = () => new AppError('LINK_INVALID', 'This link has been used or has expired');

/** Counts a bad token at the address it came from, and answers the refusal: LINK_INVALID, or RATE_LIMITED after too many. */
export async function refuseLink({ limits }: Pick<Deps, 'limits'>, { ip }: Client): Promise<AppError> {
  await limits.countRequest('failed-link', { address: ip });
  return linkInvalid();
}
