import type { FastifyBaseLogger } from 'fastify';
import type { Config } from './config.ts';
import type { ItemCipher } from './platform/crypto/item-cipher.ts';
import type { PasswordHasher } from './platform/crypto/password-hasher.ts';
import type { PendingTokens, SessionTokens } from './platform/crypto/tokens.ts';
import type { Database } from './platform/database/database.ts';
import type { Clock } from './platform/database/database-clock.ts';
import type { Jobs } from './platform/jobs/jobs.ts';
import type { MailTransport } from './platform/mail/mail-transport.ts';
import type { Metrics } from './platform/metrics/metrics.ts';
import type { Payments } from './platform/payments/payments.ts';
import type { RateLimits } from './platform/rate-limits/rate-limits.ts';

/** The points of the payment flow at which the fault tests kill the process. */
export const crashPoints = [
  'order-written',
  'intent-created',
  'intent-stored',
  'goods-pinned',
  'payment-captured',
  'order-fulfilled',
  'cancelled-at-provider',
  'goods-released',
  'refund-begun',
  'refunded-at-provider',
] as const;

export type CrashPoint = (typeof crashPoints)[number];

/** Dependencies of the features' functions; built in start-shop.ts, replaced in part by tests. */
export interface Deps {
  config: Config;
  db: Database;
  /** For reads that may be some seconds old (the catalogue and the reports): a replica if configured, else a share of `db`. */
  readDb: Database;
  payments: Payments;
  cipher: ItemCipher;
  passwords: PasswordHasher;
  sessionTokens: SessionTokens;
  pendingTokens: PendingTokens;
  limits: RateLimits;
  clock: Clock;
  mail: MailTransport;
  jobs: Jobs;
  log: FastifyBaseLogger;
  /** Counts nothing unless METRICS_PORT is set. */
  metrics: Metrics;
  /** Does nothing in the shop; the fault tests kill the process at the named point. */
  crashPoint: (point: CrashPoint) => void;
  /** The time limit of a buyer's call that waits for the payment provider (whileBuyerWaits). */
  buyerWaitMs: number;
}
