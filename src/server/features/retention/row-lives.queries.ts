import { sql } from 'kysely';
import { daysBefore, type RowLife } from '../../platform/database/remove-ended-rows.ts';
import { testModeRowLives } from '../../platform/payments/test-mode/row-lives.queries.ts';
import { TRIES_COUNT_MS } from '../accounts/pending-logins.queries.ts';

/**
 * Every table whose rows end, with their life. What is not here is kept on purpose or bounded by something else; the table
 * in docs/operations.md says by what, and its test compares the two.
 */
export const rowLives: readonly RowLife[] = [
  {
    table: 'sessions',
    life: '30 days after they expired or were ended',
    isOver: (now) => sql`least(expires_at, revoked_at) <= ${daysBefore(now, 30)}`,
  },
  {
    table: 'pending_logins',
    life: '15 minutes after they expired, as long as wrong codes count',
    isOver: (now) => sql`expires_at <= ${new Date(now.getTime() - TRIES_COUNT_MS)}`,
  },
  {
    table: 'devices',
    life: 'a year after the last login on them',
    isOver: (now) => sql`expires_at <= ${now}`,
  },
  {
    table: 'account_links',
    life: '7 days after they expired',
    isOver: (now) => sql`expires_at <= ${daysBefore(now, 7)}`,
  },
  {
    table: 'verifications',
    life: '7 days after they expired',
    isOver: (now) => sql`expires_at <= ${daysBefore(now, 7)}`,
  },
  {
    table: 'email_changes',
    // Longer than any link to confirm it works.
    life: '2 days',
    isOver: (now) => sql`asked_at <= ${daysBefore(now, 2)}`,
  },
  {
    table: 'claim_links',
    life: '7 days after they expired',
    isOver: (now) => sql`expires_at <= ${daysBefore(now, 7)}`,
  },
  {
    // Anybody may ask for an order, so what was asked is not kept for long. The mails of a lookup go with it.
    table: 'order_lookups',
    life: 'a day',
    isOver: (now) => sql`created_at <= ${daysBefore(now, 1)}`,
  },
  {
    // Stripe sends an event again for three days, by hand for thirty.
    table: 'webhook_events',
    life: '30 days',
    isOver: (now) => sql`finished_at <= ${daysBefore(now, 30)}`,
  },
  {
    table: 'mails',
    life: 'a year with an order, whose page lists them; others 30 days',
    isOver: (now) => sql`
      created_at <= ${daysBefore(now, 30)} AND (order_id IS NULL OR created_at <= ${daysBefore(now, 365)})`,
  },
  {
    table: 'orders',
    life: 'for ever, but cancelled unpaid: a year, and 30 days where their buyer does not see them (abandoned or replaced)',
    isOver: (now) => sql`
      cancelled_at <= ${daysBefore(now, 30)} AND paid_at IS NULL AND state = 'cancelled'
      AND (cancelled_at <= ${daysBefore(now, 365)} OR (type = 'digital' AND cancel_reason IN ('abandoned', 'replaced')))
      AND NOT EXISTS (SELECT FROM refunds WHERE order_id = orders.id)
      AND NOT EXISTS (SELECT FROM reveals WHERE order_id = orders.id)
      AND NOT EXISTS (SELECT FROM order_lines JOIN items ON items.order_line_id = order_lines.id WHERE order_id = orders.id)`,
    removeFirst: sql`
      removed_lookups AS (DELETE FROM order_lookups WHERE order_id IN (SELECT id FROM ended)),
      removed_claim_links AS (DELETE FROM claim_links WHERE order_id IN (SELECT id FROM ended)),
      removed_mails AS (DELETE FROM mails WHERE order_id IN (SELECT id FROM ended))`,
  },
  {
    table: 'alerts',
    life: 'a year after they were acknowledged or ended',
    isOver: (now) => sql`ended_at <= ${daysBefore(now, 365)}`,
  },
  {
    table: 'rate_counts',
    life: 'the time of their limit, at most an hour',
    isOver: (now) => sql`expire < ${now.getTime()}`,
  },
  {
    table: 'rate_waits',
    life: 'the time of their limit, at most an hour',
    isOver: (now) => sql`expires_at <= ${now}`,
  },
  {
    // The provider tells of one again for three days.
    table: 'declines',
    life: '7 days',
    isOver: (now) => sql`at <= ${daysBefore(now, 7)}`,
  },
  ...testModeRowLives,
];
