import { hkdfSync } from 'node:crypto';
import type { Clock } from '../clock.ts';
import type { NamedKey, NamedKeys } from './named-keys.ts';
import { createSignedTokens } from './signed-tokens.ts';

/** Between the two steps of a login: a token names its row in `verifications` and opens nothing else. */
export interface PendingTokens {
  sign(input: { pendingLoginId: string; expiresAt: Date }): Promise<string>;
  /** Throws AppError UNAUTHENTICATED. */
  verify(token: string): Promise<{ pendingLoginId: string }>;
}

/** Its keys are made of the session tokens' own, so that neither kind can stand for the other and none is configured. */
export async function createPendingTokens(
  [first, ...others]: NamedKeys,
  clock: Clock,
): Promise<PendingTokens> {
  const keys: NamedKeys = [derive(first), ...others.map(derive)];
  const tokens = await createSignedTokens(keys, clock, { type: 'pending-login+jwt', claims: ['jti'] });
  return {
    sign: ({ pendingLoginId, expiresAt }) => tokens.sign({ jti: pendingLoginId }, expiresAt),
    verify: async (token) => ({ pendingLoginId: (await tokens.verify(token)).jti }),
  };
}

const derive = ({ id, key }: NamedKey): NamedKey => ({
  id,
  key: Buffer.from(hkdfSync('sha256', key, '', 'kedai/pending-login', 32)),
});
