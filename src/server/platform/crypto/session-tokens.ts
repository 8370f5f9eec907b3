import type { Clock } from '../clock.ts';
import type { NamedKeys } from './named-keys.ts';
import { createSignedTokens } from './signed-tokens.ts';

export interface SessionTokens {
  sign(input: { userId: string; sessionId: string; expiresAt: Date }): Promise<string>;
  /** Throws AppError UNAUTHENTICATED. What it answers was signed here; whether the session still holds, the database says. */
  verify(token: string): Promise<{ userId: string; sessionId: string }>;
}

export async function createSessionTokens(jwtKeys: NamedKeys, clock: Clock): Promise<SessionTokens> {
  const tokens = await createSignedTokens(jwtKeys, clock, { type: 'session+jwt', claims: ['sub', 'sid'] });
  return {
    sign: ({ userId, sessionId, expiresAt }) => tokens.sign({ sub: userId, sid: sessionId }, expiresAt),
    async verify(token) {
      const { sub, sid } = await tokens.verify(token);
      return { userId: sub, sessionId: sid };
    },
  };
}
