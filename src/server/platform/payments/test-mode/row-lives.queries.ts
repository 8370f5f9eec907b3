import { sql } from 'kysely';
import { daysBefore, type RowLife } from '../../database/remove-ended-rows.ts';

/** How long the built-in provider keeps what grows with use; captured payments and their refunds it keeps for ever. */
export const testModeRowLives: readonly RowLife[] = [
  {
    // Stripe may forget a key after a day.
    table: 'test_mode_idempotency_keys',
    life: '7 days',
    isOver: (now) => sql`created_at <= ${daysBefore(now, 7)}`,
  },
  {
    // As long as Stripe tries to deliver one.
    table: 'test_mode_events',
    life: 'until they are delivered, at most 3 days',
    isOver: (now) => sql`created_at <= ${daysBefore(now, 3)}`,
  },
  {
    table: 'test_mode_intents',
    life: 'for ever, but canceled: 90 days',
    isOver: (now) => sql`canceled_at <= ${daysBefore(now, 90)} AND status = 'canceled'`,
  },
];
