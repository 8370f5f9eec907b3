import type { ErrorCode } from '../../../shared/errors.ts';
import type { OrderState } from '../../../shared/orders.ts';

/** Counts what happens in the shop. Labels come from closed lists and never contain what a visitor typed. */
export interface Metrics {
  /** `route` is the template, as in `/api/orders/:id`; undefined where no route matched. */
  request(answered: {
    method: string;
    route: string | undefined;
    status: number;
    /** Why the request was turned away (503). */
    code: ErrorCode | undefined;
    seconds: number;
  }): void;
  /** Counts an order that has entered a state. Call it after the commit. */
  order(state: (typeof countedStates)[number]): void;
  /** Adds the money of an order that was delivered, in cents of USD. */
  captured(cents: number): void;
  /** Adds the money of a finished refund, in cents of USD. */
  refunded(cents: number): void;
  /** Observes the time from the card's authorisation to the delivery. */
  settled(seconds: number): void;
  /** Counts what the sweeper did about an order that was due. */
  swept(finding: Finding): void;
  providerCall(call: string, outcome: ProviderOutcome, seconds: number): void;
  mail(outcome: MailOutcome): void;
  /** Counts a run of a background loop. A loop that never succeeds is measured from `started`, before its first run. */
  loop(loop: string, outcome: 'started' | 'done' | 'failed'): void;
  pool(name: string, pool: PoolUse): void;
}

export const countedStates = ['pending', 'fulfilled', 'cancelled', 'refunded', 'disputed'] as const;
/** `left`: unpaid, and its hold still runs. `released`: its hold was over. `refund`: refunds of a paid order were due. */
export const findings = ['settled', 'left', 'released', 'refund', 'failed'] as const;
export type Finding = (typeof findings)[number];
/** `refused`: a final rejection, such as a declined card. `unavailable`: to be tried again. */
export type ProviderOutcome = 'ok' | 'refused' | 'unavailable' | 'failed';
/** `skipped`: the mail has lost its purpose. `refused`: rejected for good. `failed`: to be tried again. */
export const mailOutcomes = ['sent', 'skipped', 'refused', 'failed'] as const;
export type MailOutcome = (typeof mailOutcomes)[number];

export interface PoolUse {
  readonly totalCount: number;
  readonly idleCount: number;
  readonly waitingCount: number;
  readonly options: { max: number };
}

/** Figures that are read from the database at each scrape. Each process of the shop reports the same. */
export interface ShopFigures {
  /** Number of orders that the sweeper has to visit, by state, without those whose refunds are all accepted. */
  unfinishedOrders: Partial<Record<OrderState, number>>;
  /** The age of the oldest refund that the provider has not accepted; 0 without one. */
  oldestWaitingRefundSeconds: number;
  /** How long the most overdue of these orders has been due. */
  sweeperLagSeconds: number;
  /** The age of the oldest order that is being captured; 0 without one. */
  oldestCapturingSeconds: number;
  heldUnits: number;
  alerts: Record<string, number>;
  /** By queue. `lagSeconds` is the age of the oldest job that is not done. */
  jobs: Record<string, { waiting: number; lagSeconds: number }>;
}

const nothing = () => undefined;

export const noMetrics: Metrics = {
  request: nothing,
  order: nothing,
  captured: nothing,
  refunded: nothing,
  settled: nothing,
  swept: nothing,
  providerCall: nothing,
  mail: nothing,
  loop: nothing,
  pool: nothing,
};
