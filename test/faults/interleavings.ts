import fc from 'fast-check';
import type { Deps } from '../../src/server/deps.ts';
import type { Payments } from '../../src/server/platform/payments/payments.ts';
import { commute, type Effect, type StepWatch } from './step-effects.ts';

/** What a process of the shop, or a caller of it, does to the order of a play. Like a call, it may fail. */
export type Operation<Stage> = (deps: Deps, stage: Stage) => Promise<unknown>;

/**
 * Runs an operation as a process of its own would: it shares only the database and the provider with others. Each call lets
 * it run until it is about to change something at the provider, has an answer of it, or is done. Resolves to false when it
 * is done.
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
 * Plays the operations in one order on a new stage: `choose` says which of the actors that may move next does, and with a
 * number that none of them has, all stop for good (`†`). `move` makes the actor take its step. Only one moves at a time, so
 * a lock held over a call would stop everything.
 *
 * Until they have moved, actors with the same operation are interchangeable: of those only the first may move.
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

/** What may come next after the steps so far. */
interface Branch {
  /** The actors to try, the first one now; at DEATH all stop for good. */
  left: number[];
  /** The step of the first one. */
  step?: Step | undefined;
  /** Next steps that were tried: the orders in which they come later, after steps that commute with them, were played then. */
  tried: Step[];
}

/**
 * Lets the two operations take their steps in every possible order; with `mayDie` they also all stop before, between and
 * after their steps. Returns how many orders there are, including those that a played one represents.
 *
 * Of the orders that differ only in which of two steps that commute comes first, one is played ("sleep sets" of Godefroid,
 * Partial-Order Methods for the Verification of Concurrent Systems): they lead to the same state. Nor is it played that an
 * actor stops after a step that has changed nothing: the state is the one before this step.
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
      // Orders that were played before stand for this one, however it goes on.
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

/** Goes back to the last branch that has something left to try; empties the path when none has. */
function toNextOrder(path: Branch[]): void {
  for (let branch = path.at(-1); branch; branch = path.at(-1)) {
    branch.left.shift();
    if (branch.step) branch.tried.push(branch.step);
    branch.step = undefined;
    if (branch.left.length > 0) return;
    path.pop();
  }
}

/** How many orders two actors have: those that were played, and those that these stand for. */
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

/** Tries that many random orders, for operations that have too many. A failure names the seed that repeats it. */
export async function tryRandomOrders<Stage>(play: Play<Stage>, draws: number): Promise<void> {
  const tryOne = fc.asyncProperty(fc.infiniteStream(fc.nat()), async (numbers) => {
    await playOrder(play, (mayMove) => mayMove[(numbers.next().value ?? 0) % mayMove.length]);
  });
  await fc.assert(tryOne, { numRuns: draws, endOnFailure: true });
}
