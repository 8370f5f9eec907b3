import type { FastifyBaseLogger } from 'fastify';
import type { Clock } from '../../clock.ts';
import type { Database } from '../../database/open-database.ts';
import type { TestModeIntentRow } from '../../database/test-mode-tables.ts';
import type { ProviderAccount } from './account.queries.ts';
import type { UndeliveredEvent } from './events.queries.ts';
import type { Form } from './form.ts';
import type { LastSeenIntents } from './last-seen-intents.ts';
import { intentObject, publicIntentObject } from './stripe-objects.ts';

/** What the provider's endpoints work with. */
export interface Provider {
  db: Database;
  clock: Clock;
  log: FastifyBaseLogger;
  account: ProviderAccount;
  lastSeen: LastSeenIntents;
  /** Told after each commit that wrote an event. */
  eventWritten: (event: UndeliveredEvent) => void;
}

/** One authenticated request. */
export interface ProviderCall {
  requestId: string;
  /** Whose key was shown: the shop's server, or a browser, which must also know the intent's client secret. */
  caller: 'secret' | 'publishable';
  /** The id in the path; empty where there is none. */
  id: string;
  form: Form;
  idempotency: { key: string; requestHash: Buffer } | undefined;
}

export interface ProviderAnswer {
  status: number;
  body: string;
  headers?: Record<string, string>;
}

export type Endpoint = (provider: Provider, call: ProviderCall) => Promise<ProviderAnswer>;

export const answerWith = (object: object): ProviderAnswer => ({ status: 200, body: JSON.stringify(object) });

/** The intent as this caller may see it. */
export const intentFor = (call: ProviderCall, intent: TestModeIntentRow): object =>
  call.caller === 'secret' ? intentObject(intent) : publicIntentObject(intent);
