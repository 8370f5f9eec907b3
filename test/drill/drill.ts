// npm run drill: what do buyers notice when the machines of a company fail one after the other?
import { setTimeout as wait } from 'node:timers/promises';
import { sql } from 'kysely';
import { addUp, rest, verify } from '../soak/outcomes.ts';
import { buyAsGuest, IN_BETWEEN, newDiary } from '../soak/shoppers.ts';
import { openDrillWorld } from './drill-world.ts';
import { type Trial, trials } from './trials.ts';

const BUYERS = 30;
/** The pause of a buyer between two purchases. */
const PAUSE_MS = 2_000;
/** How long the buyers buy before and after each trial. */
const CALM_MS = 5_000;
/** Runs only the trials whose name contains this text. */
const ONLY = process.env['DRILL_TRIAL'] ?? '';

interface Result {
  'seconds without a sale': number;
  'at most': number;
  'requests failed': string;
  'orders lost': number;
  'charged without goods': number;
  'delivered twice': number;
  sales: number;
}

const began = Date.now();
const diary = newDiary();
const { problems } = diary;
const say = (line: string) => console.log(`${((Date.now() - began) / 1_000).toFixed(0).padStart(4)} s  ${line}`);
say('Three database nodes, a pooler, two processes of the shop and their proxies are started.');
const world = await openDrillWorld((what) => problems.push(what));
const results: Record<string, Result> = {};
try {
  for (const trial of trials.filter(({ name }) => name.includes(ONLY))) results[trial.name] = await carryOut(trial);
} finally {
  await world.close();
}
console.table(results);
for (const problem of new Set(problems)) console.log(`PROBLEM ${problem}`);
console.log(problems.length === 0 ? 'Everything holds.' : `${problems.length} problems.`);
process.exitCode = problems.length === 0 ? 0 : 1;

async function carryOut({ name, limit, unnoticed = false, happen }: Trial): Promise<Result> {
  const before = { purchases: diary.purchases.length, problems: problems.length, answers: countAnswers() };
  let isOver = false;
  const buyers = Array.from({ length: BUYERS }, async () => {
    while (!isOver) {
      await buyAsGuest({ shops: [world.site], products: world.products }, diary, { quantity: 1, kind: 'pays' });
      await wait(Math.random() * PAUSE_MS);
    }
  });
  await wait(CALM_MS);
  const start = Date.now();
  say(name);
  try {
    await happen(world, { diary, say });
    await world.cluster.whole();
    await wait(CALM_MS);
  } finally {
    isOver = true;
  }
  const end = Date.now();
  await Promise.all(buyers);
  await rest(world.db, problems);
  await addUp(world.db, diary);
  await verify(world.env, problems);

  const sales = diary.purchases.slice(before.purchases).flatMap(({ acknowledgedAt }) => acknowledgedAt ?? []);
  const longest = longestPause([start, ...sales.filter((at) => at > start && at < end), end]);
  const answers = countAnswers();
  const failed = answers.failed - before.answers.failed;
  const lost = problems.slice(before.problems).filter((problem) => problem.startsWith('I7')).length;
  const twice = problems.slice(before.problems).filter((problem) => problem.startsWith('I2')).length;
  const charged = await chargedWithoutGoods();
  if (longest > limit * 1_000) problems.push(`${name}: nobody could buy for ${longest} ms`);
  if (unnoticed && failed > 0) problems.push(`${name}: ${failed} requests failed`);
  if (charged > 0) problems.push(`${name}: ${charged} buyers were charged without goods`);
  return {
    'seconds without a sale': Math.round(longest / 100) / 10,
    'at most': limit,
    'requests failed': `${failed} of ${answers.all - before.answers.all}`,
    'orders lost': lost,
    'charged without goods': charged,
    'delivered twice': twice,
    sales: sales.length,
  };
}

function longestPause(times: number[]): number {
  const sorted = times.toSorted((a, b) => a - b);
  return Math.max(...sorted.slice(1).map((at, n) => at - (sorted[n] ?? at)));
}

function countAnswers(): { failed: number; all: number } {
  const isFailed = (status: string) => status === 'no answer' || IN_BETWEEN.includes(Number(status));
  const sum = (counts: [string, number][]) => counts.reduce((total, [, count]) => total + count, 0);
  const counts = [...diary.answers];
  return { failed: sum(counts.filter(([status]) => isFailed(status))), all: sum(counts) };
}

/** Counts payments that were captured and not refunded, without a delivery. */
async function chargedWithoutGoods(): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    SELECT count(*)::integer AS n FROM test_mode_intents LEFT JOIN orders ON payment_intent_id = test_mode_intents.id
    WHERE status = 'succeeded' AND coalesce(state, '') NOT IN ('fulfilled', 'refunded')`.execute(world.db);
  return rows[0]?.n ?? 0;
}
