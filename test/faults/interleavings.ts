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
 * Plays the deeds in one order on a new stage: `choose` says which of those that may move next does, and with a
 * number beyond them all stop for good (`†`). Only one moves at a time, so a lock held over a call would stop everything.
 *
 * Until they have moved, actors with the same deed are interchangeable: of those only the first may move. Answers how many
 * orders this one stands for, itself and those that differ from it only in which of such actors is which.
 */
async function playOrder<Stage>(
  { shop, prepare, deeds, check }: Play<Stage>,
  choose: (left: number, order: string) => number,
): Promise<number> {
  const stage = await prepare();
  const actors = deeds.map((deed, number) => ({
    number,
    deed,
    hasMoved: false,
    advance: createActor(shop, (deps) => deed(deps, stage)),
  }));
  const alike = (deed: Deed<Stage>) => actors.filter((actor) => actor.deed === deed && !actor.hasMoved);
  let order = '';
  let standsFor = 1;
  while (actors.length > 0) {
    const mayMove = actors.filter((actor) => actor.hasMoved || alike(actor.deed)[0] === actor);
    const chosen = mayMove[choose(mayMove.length, order)];
    order += chosen?.number ?? '†';
    if (!chosen) break;
    if (!chosen.hasMoved) standsFor *= alike(chosen.deed).length;
    chosen.hasMoved = true;
    if (!(await chosen.advance())) actors.splice(actors.indexOf(chosen), 1);
  }
  await check(stage, order);
  return standsFor;
}

/**
 * Lets the deeds take their steps in every possible order; with `mayDie` they also all stop after each step of each.
 * Answers how many orders there are, those counted that a played one stands for.
 */
export async function tryEveryOrder<Stage>(play: Play<Stage>, { mayDie }: { mayDie: boolean }): Promise<number> {
  // The choice made at each step of the order that is tried, counted down until every one has been made.
  const choices: number[] = [];
  let tried = 0;
  do {
    tried += await playOrder(play, (left, order) => {
      const step = order.length;
      const lastChoice = mayDie && step > 0 ? left : left - 1;
      const choice = choices[step] ?? lastChoice;
      if (choice > lastChoice) throw new Error(`The deeds took other steps than before, after ${order}`);
      choices[step] = choice;
      return choice;
    });
    while (choices.at(-1) === 0) choices.pop();
    const last = choices.pop();
    if (last !== undefined) choices.push(last - 1);
  } while (choices.length > 0);
  return tried;
}

/** Tries so many orders drawn by lot, for deeds that have too many; a failure names the seed that repeats it. */
export async function tryOrdersByLot<Stage>(play: Play<Stage>, draws: number): Promise<void> {
  const tryOne = fc.asyncProperty(fc.infiniteStream(fc.nat()), async (lots) => {
    await playOrder(play, (left) => (lots.next().value ?? 0) % left);
  });
  await fc.assert(tryOne, { numRuns: draws, endOnFailure: true });
}
