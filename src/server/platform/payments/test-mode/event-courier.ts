import type { FastifyBaseLogger } from 'fastify';
import type { UndeliveredEvent } from './events.queries.ts';

/** How a courier works. */
export interface EventWork {
  /** Never throws for an event's sake. */
  deliver(events: UndeliveredEvent[]): Promise<void>;
  /** Events that no process is about to deliver: retries, and those of a process that died. */
  takeDue(limit: number): Promise<UndeliveredEvent[]>;
}

/**
 * Delivers what this process has written, straight from memory, and looks now and then for what is due in the
 * database: an event that never leaves memory is still there.
 */
export interface EventCourier {
  start(work: EventWork): void;
  /** The event is committed. */
  add(event: UndeliveredEvent): void;
  /** Waits for what is under way; the rest comes due in the database. */
  stop(): Promise<void>;
}

// Stripe's webhooks trail its answers, too; called back at once, the shop would settle every order twice over.
const DELAY_MS = 300;
const POLL_MS = 2_000;
const BATCH = 16;
const LONGEST_QUEUE = 1_000;

export function createEventCourier(log: FastifyBaseLogger): EventCourier {
  // Written since the last round, and before it: every event lies for a whole DELAY_MS.
  let fresh: UndeliveredEvent[] = [];
  let ripe: UndeliveredEvent[] = [];
  let work: EventWork | undefined;
  let timer: NodeJS.Timeout | undefined;
  let round: Promise<void> | undefined;
  let polledAt = Number.NEGATIVE_INFINITY;

  function wait(delayMs: number): void {
    timer = setTimeout(() => {
      round = deliverAll().finally(() => {
        round = undefined;
        if (work) wait(DELAY_MS);
      });
    }, delayMs);
    timer.unref();
  }

  async function deliverAll(): Promise<void> {
    try {
      const due = ripe;
      ripe = fresh;
      fresh = [];
      while (work && due.length > 0) await work.deliver(due.splice(0, BATCH));
      if (performance.now() - polledAt >= POLL_MS) await deliverDue();
    } catch (error) {
      log.error({ err: error }, 'test mode events were not delivered');
    }
  }

  async function deliverDue(): Promise<void> {
    polledAt = performance.now();
    let taken = BATCH;
    while (work && taken === BATCH) {
      const events = await work.takeDue(BATCH);
      taken = events.length;
      if (taken > 0) await work.deliver(events);
    }
  }

  return {
    start: (chosen) => {
      work = chosen;
      wait(0);
    },
    add: (event) => {
      if (work && fresh.length < LONGEST_QUEUE) fresh.push(event);
    },
    stop: async () => {
      work = undefined;
      clearTimeout(timer);
      await round;
    },
  };
}
