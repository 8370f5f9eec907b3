import fc from 'fast-check';
import type { Deps } from '../../src/server/deps.ts';
import type { Payments } from '../../src/server/platform/payments/payments.ts';

/** What a process of the shop, or somebody who calls it, does on a stage; it may fail, as a call may. */
export type Deed<Stage> = (deps: Deps, stage: Stage) => Promise<unknown>;

/**
 * A deed as a process of its own would do it, sharing the database and the provider and nothing else. Each call lets it
 * run until it is about to change something at the provider, has an answer of it, or is done; false when it is done.
 */
function createActor(shop: Deps, deed: (deps: Deps) => Promise<unknown>): () => Promise<boolean> {
  let goOn: () => void;
  let stops: (more: boolean) => void;
  const gate = () =>
    new Promise<void>((resolve) => {
      goOn = resolve;
      stops(true);
    });
  const asking =
    <Input, Output>(call: (input: Input) => Promise<Output>) =>
    async (input: Input) => {
      try {
        return await call(input);
      } finally {
        await gate();
      }
    };
  const changing = <Input, Output>(call: (input: Input) => Promise<Output>) => {
    const asked = asking(call);
    return async (input: Input) => {
      await gate();
      return asked(input);
    };
  };
  const { payments } = shop;
  const gatedPayments: Payments = {
    ...payments,
    createIntent: changing(payments.createIntent),
    retrieveIntent: asking(payments.retrieveIntent),
    captureIntent: changing(payments.captureIntent),
    cancelIntent: changing(payments.cancelIntent),
    refundIntent: changing(payments.refundIntent),
    refundedCents: asking(payments.refundedCents),
    listRefunds: asking(payments.listRefunds),
    listClaims: asking(payments.listClaims),
  };
  const done = () => stops(false);
  goOn = () => void deed({ ...shop, payments: gatedPayments }).then(done, done);
  return () =>
    new Promise<boolean>((resolve) => {
      stops = resolve;
      goOn();
    });
}

export interface Play<Stage> {
  shop: Deps;
  prepare: () => Promise<Stage>;
  deeds: Deed<Stage>[];
  /** Called at the end with the order as a word, `0110` for first, second, second, first. */
  check: (stage: Stage, order: string) => Promise<void>;
}

/**
 * Plays the deeds in one order on a new stage: `choose` says which of those that are not done moves next, and with a
 * number beyond them all stop for good (`†`). Only one moves at a time, so a lock held over a call would stop everything.
 */
async function playOrder<Stage>(
  { shop, prepare, deeds, check }: Play<Stage>,
  choose: (left: number, order: string) => number,
): Promise<void> {
  const stage = await prepare();
  const actors = deeds.map((deed, number) => ({ number, advance: createActor(shop, (deps) => deed(deps, stage)) }));
  let order = '';
  while (actors.length > 0) {
    const chosen = actors[choose(actors.length, order)];
    order += chosen?.number ?? '†';
    if (!chosen) break;
    if (!(await chosen.advance())) actors.splice(actors.indexOf(chosen), 1);
  }
  await check(stage, order);
}

/**
 * Lets the deeds take their steps in every possible order; with `mayDie` they also all stop after each step of each.
 * Answers how many orders there are.
 */
export async function tryEveryOrder<Stage>(play: Play<Stage>, { mayDie }: { mayDie: boolean }): Promise<number> {
  // The choice made at each step of the order that is tried, counted down until every one has been made.
  const choices: number[] = [];
  let tried = 0;
  do {
    await playOrder(play, (left, order) => {
      const step = order.length;
      const lastChoice = mayDie && step > 0 ? left : left - 1;
      const choice = choices[step] ?? lastChoice;
      if (choice > lastChoice) throw new Error(`The deeds took other steps than before, after ${order}`);
      choices[step] = choice;
      return choice;
    });
    tried += 1;
    while (choices.at(-1) === 0) choices.pop();
    const last = choices.pop();
    if (last !== undefined) choices.push(last - 1);
  } while (choices.length > 0);
  return tried;
}

/** Tries so many orders drawn by lot, for deeds that have too many; a failure names the seed that repeats it. */
export async function tryOrdersByLot<Stage>(play: Play<Stage>, draws: number): Promise<void> {
  const tryOne = fc.asyncProperty(fc.infiniteStream(fc.nat()), (lots) =>
    playOrder(play, (left) => (lots.next().value ?? 0) % left),
  );
  await fc.assert(tryOne, { numRuns: draws, endOnFailure: true });
}
