// The shop as the fault tests run it, in a process of its own: the real one, with a clock that can be moved, and with
// a point of the money path at which the process kills itself. Never a way to run a shop: see src/server/main.ts.

import { flushCompileCache } from 'node:module';
import { readConfig } from '../../src/server/config.ts';
import { listOrderLines } from '../../src/server/features/orders/orders.queries.ts';
import { refundAllThatIsLeft, refundByAdmin } from '../../src/server/features/orders/refund-order.ts';
import { startShop } from '../../src/server/start-shop.ts';
import type { Command, CommandAnswer } from './shop-process.ts';

const { DATABASE_LIMITS, BUYER_WAIT_MS, CRASH_AT, CRASH_AT_PASSING, CLOCK_AHEAD_MS, TEST_WEBHOOKS } = process.env;
const REASON = 'A test asked for it';
let clockAheadMs = Number(CLOCK_AHEAD_MS);
const movedClock = { now: () => new Date(Date.now() + clockAheadMs) };
let passings = 0;

// A test run that was killed leaves no shop behind.
process.on('disconnect', () => process.exit(1));

const { deps, url } = await startShop(
  { ...readConfig(), port: 0 },
  {
    replace: {
      // Without it the shop takes its time from the database.
      ...(CLOCK_AHEAD_MS !== undefined && { clock: movedClock }),
      ...(BUYER_WAIT_MS !== undefined && { buyerWaitMs: Number(BUYER_WAIT_MS) }),
      crashPoint: (point) => {
        if (point !== CRASH_AT) return;
        passings += 1;
        if (passings === Number(CRASH_AT_PASSING)) process.kill(process.pid, 'SIGKILL');
      },
    },
    deliverTestWebhooks: TEST_WEBHOOKS === 'on',
    databaseLimits: DATABASE_LIMITS ? JSON.parse(DATABASE_LIMITS) : undefined,
  },
);

process.on('message', (command: Command) => {
  const answer = (failure?: string) => process.send?.({ id: command.id, failure } satisfies CommandAnswer);
  carryOut(command).then(
    () => answer(),
    (error: unknown) => answer(String(error)),
  );
});

async function carryOut(command: Command): Promise<void> {
  if (command.do === 'pass') clockAheadMs += command.milliseconds;
  else if (command.do === 'refund') await refundAllThatIsLeft(deps, command.orderId, { reason: REASON });
  else await refundUnits(command.orderId);
}

async function refundUnits(orderId: string): Promise<void> {
  const lines = await listOrderLines(deps.db, orderId);
  await refundByAdmin(deps, {
    orderId,
    reason: REASON,
    lines: lines.map(({ id }) => ({ line: id, quantity: 1 })),
    actor: { userId: null, name: 'a test', ip: '' },
  });
}

// Written now, for the next start: a process that is killed writes nothing at its end.
flushCompileCache();
process.stdout.write(`listening at ${url}\n`);
