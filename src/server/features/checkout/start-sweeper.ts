import type { Deps } from '../../deps.ts';
import { reconcilePayments } from './reconcile-payments.ts';
import { sweepOrders } from './sweep-orders.ts';

const SWEEP_PAUSE_MS = 5_000;
const RECONCILE_PAUSE_MS = 10 * 60 * 1000;

/** Runs the sweeper and the reconciliation in this process until stopped; the stop waits for what is under way. */
export function startSweeper(deps: Deps): { stop: () => Promise<void> } {
  const loops = [
    repeat(deps, 'sweep', SWEEP_PAUSE_MS, sweepOrders),
    repeat(deps, 'reconcile', RECONCILE_PAUSE_MS, reconcilePayments),
  ];
  return {
    stop: async () => {
      await Promise.all(loops.map((loop) => loop.stop()));
    },
  };
}

/** Pauses after each run of the work, unless its answer is true: there is more to do. */
function repeat(deps: Deps, name: string, pauseMs: number, work: (deps: Deps) => Promise<unknown>) {
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  let current = run();

  async function run(): Promise<void> {
    let more = false;
    try {
      more = (await work(deps)) === true;
    } catch (error) {
      deps.log.error({ err: error, loop: name }, 'a background loop failed and will try again');
    }
    if (stopped) return;
    timer = setTimeout(
      () => {
        current = run();
      },
      more ? 0 : pauseMs,
    );
  }

  return {
    stop: async () => {
      stopped = true;
      clearTimeout(timer);
      await current;
    },
  };
}
