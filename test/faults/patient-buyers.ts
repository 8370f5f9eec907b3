import { expect, vi } from 'vitest';
import type { Answer } from '../shopper.ts';
import type { FaultWorld } from './fault-world.ts';
import { newPurchase } from './purchase.ts';

/** Buyers who buy repeatedly, and what they have seen. */
export interface PatientBuyers {
  sold: string[];
  /** Answers 503; any other failure ends the buyers. */
  refused: number;
  longestWaitMs: number;
  /** Lets each buyer finish the running purchase, and waits for that. */
  stop(): Promise<unknown>;
  /** Waits until `check` passes; fails when a buyer fails. */
  until(check: () => void, timeoutMs?: number): Promise<unknown>;
}

/** Starts guests who buy one unit after the other, and repeat a call while its answer is 503. */
export function startPatientBuyers(world: FaultWorld, url: string, count: number): PatientBuyers {
  let over = false;
  const seen = { sold: [] as string[], refused: 0, longestWaitMs: 0 };
  const buying = Promise.all(
    Array.from({ length: count }, async () => {
      while (!over) await buy();
    }),
  );

  async function buy(): Promise<void> {
    // A call whose answer was lost may have left an order behind, which holds a unit until its time is up.
    const purchase = await newPurchase(world, url, 20);
    expect(await patiently(() => purchase.open())).toMatchObject({ status: 200 });
    await patiently(() => purchase.confirmCard());
    const placed = await patiently(() => purchase.place());
    expect(placed).toMatchObject({ status: 201, body: { data: { _id: purchase.orderId } } });
    seen.sold.push(purchase.orderId);
  }

  async function patiently(call: () => Promise<Answer>): Promise<Answer> {
    for (;;) {
      const started = performance.now();
      const answer = await call();
      seen.longestWaitMs = Math.max(seen.longestWaitMs, Math.round(performance.now() - started));
      if (answer.status < 500) return answer;
      expect([answer.status, answer.headers.has('retry-after')]).toEqual([503, true]);
      seen.refused += 1;
    }
  }

  return Object.assign(seen, {
    stop: () => {
      over = true;
      return buying;
    },
    until: (check: () => void, timeoutMs = 60_000) =>
      Promise.race([buying, vi.waitFor(check, { timeout: timeoutMs, interval: 5 })]),
  });
}

/** Waits until the mail of an order is sent, which a job does. */
export async function waitForMail({ db }: FaultWorld, orderId: string, timeoutMs = 60_000): Promise<void> {
  await vi.waitFor(
    async () => {
      const mails = db.selectFrom('mails').select('sent_at').where('order_id', '=', orderId);
      expect(await mails.execute()).toEqual([{ sent_at: expect.any(Date) }]);
    },
    { timeout: timeoutMs, interval: 20 },
  );
}
