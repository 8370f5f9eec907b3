import fc from 'fast-check';
import type { Deps } from '../../src/server/deps.ts';
import type { Payments } from '../../src/server/platform/payments/payments.ts';
import { commute, type Effect, type StepWatch } from './step-effects.ts';

/** An operation of a process or a client of the shop on the order of a stage. It may fail, as a call may. */
export type Operation<Stage> = (deps: Deps, stage: Stage) => Promise<unknown>;

/**
 * Runs an operation like a separate process, which shares only the database and the provider with others. Each call of the
 * returned function lets the operation run until its next change at the provider, the next response of the provider, or its
 * end. Resolves to false at the end.
 */
function createActor(shop: Deps, operation: (deps: Deps) => Promise<unknown>): () => Promise<boolean> {
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
  goOn = () => void operation({ ...shop, payments: gatedPayments }).then(done, done);
  return () =>
    new Promise<boolean>((resolve) => {
      stops = resolve;
      goOn();
    });
}

export interface Play<Stage> {
  shop: Deps;
  prepare: () => Promise<Stage>;
  operations: Operation<Stage>[];
  /** Called at the end with the order as a word, `0110` for first, second, second, first. */
  check: (stage: Stage, order: string) => Promise<void>;
}

/**
 * Plays the operations in one order on a new stage. `choose` returns the actor that moves next; any other number stops all
 * actors for good (`†`). `move` lets the actor take its step. Only one actor moves at a time, so a lock that is held during
 * a call to the provider would block all of them.
 *
 * Actors with the same operation are interchangeable until they have moved, so only the first of them may move.
 */
async function playOrder<Stage>(
  { shop, prepare, operations, check }: Play<Stage>,
  choose: (mayMove: readonly number[]) => number | undefined,
  move: (actor: number, advance: () => Promise<boolean>) => Promise<boolean> = (_actor, advance) => advance(),
): Promise<void> {
  const stage = await prepare();
  const actors = operations.map((operation, number) => ({
    number,
    operation,
    hasMoved: false,
    advance: createActor(shop, (deps) => operation(deps, stage)),
  }));
  const firstAlike = (operation: Operation<Stage>) =>
    actors.find((actor) => actor.operation === operation && !actor.hasMoved);
  let order = '';
  while (actors.length > 0) {
    const mayMove = actors.filter((actor) => actor.hasMoved || firstAlike(actor.operation) === actor);
    const number = choose(mayMove.map((actor) => actor.number));
    const chosen = mayMove.find((actor) => actor.number === number);
    order += chosen?.number ?? '†';
    if (!chosen) break;
    chosen.hasMoved = true;
    if (!(await move(chosen.number, chosen.advance))) actors.splice(actors.indexOf(chosen), 1);
  }
  await check(stage, order);
}

/** A step of an actor, and what it does. */
interface Step {
  actor: number;
  effect: Effect;
}

const DEATH = -1;

/** The possible next steps after a sequence of steps. */
interface Branch {
  /** The actors to try, the first one now; at DEATH all stop for good. */
  left: number[];
  /** The step of the first one. */
  step?: Step | undefined;
  /** Next steps that were tried. Orders in which a tried step follows steps that commute with it were played then. */
  tried: Step[];
}

/**
 * Plays the steps of two operations in every possible order. With `mayDie`, all actors also stop before, between and after
 * the steps. Returns the number of orders, including those that were not played because they are equivalent to a played one.
 *
 * Orders that differ only in the sequence of two commuting steps lead to the same state, so one of them is played ("sleep
 * sets" of Godefroid, Partial-Order Methods for the Verification of Concurrent Systems). A stop after a step without a change
 * is not played either, because the state is the one before that step.
 */
export async function tryEveryOrder<Stage>(
  play: Play<Stage> & { operations: [Operation<Stage>, Operation<Stage>]; watch: StepWatch },
  { mayDie }: { mayDie: boolean },
): Promise<number> {
  const path: Branch[] = [];
  const played: Step[][] = [];
  do {
    const steps: Step[] = [];
    const choose = (mayMove: readonly number[]) => {
      const known = path[steps.length];
      if (known && known.left[0] !== DEATH && !mayMove.includes(known.left[0] ?? DEATH)) {
        throw new Error(`The operations took other steps than before, after ${wordOf(steps)}`);
      }
      if (known) return known.left[0];
      const branch = openBranch(path.at(-1), steps, { mayMove, mayDie });
      // Every continuation of this order is equivalent to an order that was played.
      if (path.length < steps.length || branch.left.length === 0) return mayMove[0];
      path.push(branch);
      return branch.left[0];
    };
    await playOrder(play, choose, async (actor, advance) => {
      const known = path[steps.length]?.step;
      if (!known) await play.watch.start();
      const more = await advance();
      steps.push(known ?? { actor, effect: await play.watch.finish() });
      return more;
    });
    for (const [depth, branch] of path.entries()) branch.step = steps[depth];
    if (path.at(-1)?.step && path.length === steps.length) played.push(steps);
    toNextOrder(path);
  } while (path.length > 0);
  return countOrders(played, { areAlike: play.operations[0] === play.operations[1], mayDie });
}

const wordOf = (steps: readonly Step[]) => steps.map(({ actor }) => actor).join('');

function openBranch(
  parent: Branch | undefined,
  steps: readonly Step[],
  { mayMove, mayDie }: { mayMove: readonly number[]; mayDie: boolean },
): Branch {
  const last = steps.at(-1);
  const tried = parent?.tried.filter(
    ({ actor, effect }) => last && actor !== last.actor && commute(effect, last.effect),
  );
  const left = mayMove.filter((number) => !tried?.some(({ actor }) => actor === number));
  const hasChanged = (number: number) => {
    const own = steps.findLast(({ actor }) => actor === number);
    return !own || own.effect.changes.size > 0;
  };
  if (mayDie && mayMove.every(hasChanged)) left.push(DEATH);
  return { left, tried: tried ?? [] };
}

/** Goes back to the last branch with an actor left to try; empties the path when there is none. */
function toNextOrder(path: Branch[]): void {
  for (let branch = path.at(-1); branch; branch = path.at(-1)) {
    branch.left.shift();
    if (branch.step) branch.tried.push(branch.step);
    branch.step = undefined;
    if (branch.left.length > 0) return;
    path.pop();
  }
}

/** Returns the number of orders of two actors: the played ones and those equivalent to them. */
function countOrders(played: Step[][], { areAlike, mayDie }: { areAlike: boolean; mayDie: boolean }): number {
  const orders = new Set<string>();
  const addOrders = (order: string, left: readonly Step[]) => {
    if (left.length === 0) orders.add(order);
    for (const [index, step] of left.entries()) {
      const isFree = left
        .slice(0, index)
        .every(({ actor, effect }) => actor !== step.actor && commute(effect, step.effect));
      if (isFree) addOrders(`${order}${step.actor}`, left.toSpliced(index, 1));
    }
  };
  for (const steps of played) addOrders('', steps);
  if (areAlike)
    for (const order of [...orders]) orders.add(order.replaceAll(/./g, (actor) => (actor === '0' ? '1' : '0')));
  const deaths = new Set<string>();
  if (mayDie)
    for (const order of orders) for (let step = 1; step < order.length; step += 1) deaths.add(order.slice(0, step));
  return orders.size + deaths.size;
}

/** Plays `draws` random orders, for operations with too many orders. A failure prints the seed that repeats it. */
export async function tryRandomOrders<Stage>(play: Play<Stage>, draws: number): Promise<void> {
  const tryOne = fc.asyncProperty(fc.infiniteStream(fc.nat()), async (numbers) => {
    await playOrder(play, (mayMove) => mayMove[(numbers.next().value ?? 0) % mayMove.length]);
  });
  await fc.assert(tryOne, { numRuns: draws, endOnFailure: true });
}
