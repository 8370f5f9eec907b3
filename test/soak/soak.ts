// npm run soak: is everything still right after minutes of everything going wrong?
import { setTimeout as wait } from 'node:timers/promises';
import { type Fault, faults } from './faults.ts';
import { addUp, rest, verify } from './outcomes.ts';
import { administer, browse, buyAsGuest, newDiary, sendForgedWebhook, signInAndLook } from './shoppers.ts';
import { openSoakWorld } from './soak-world.ts';

const MINUTES = Number(process.env['SOAK_MINUTES'] ?? 10);
/** Runs only the faults whose name contains this text. */
const ONLY = process.env['SOAK_FAULT'] ?? '';
const FAULT_EVERY_MS = 20_000;
const BUYERS = 6;

const began = Date.now();
const diary = newDiary();
const say = (line: string) => console.log(`${((Date.now() - began) / 1_000).toFixed(0).padStart(4)} s  ${line}`);
const world = await openSoakWorld((what) => diary.problems.push(what));
let isOver = false;
try {
  say('Two processes sell.');
  const load = [
    ...Array.from({ length: BUYERS }, () => repeat(() => buyAsGuest(world, diary))),
    repeat(() => browse(world, diary)),
    repeat(() => signInAndLook(world, diary)),
    repeat(() => administer(world, diary)),
    repeat(async () => {
      await sendForgedWebhook(world, diary);
      await wait(1_000);
    }),
  ];
  const chosen = faults.filter(({ name }) => name.includes(ONLY));
  const end = Date.now() + MINUTES * 60_000;
  for (let n = 0; Date.now() < end; n += 1) {
    const next = Date.now() + FAULT_EVERY_MS;
    await happen(chosen[n % chosen.length] as Fault);
    await wait(Math.max(0, Math.min(next, end) - Date.now()));
  }
  isOver = true;
  await Promise.all(load);
  say('The load is over; waiting until every paid order is finished.');
  await rest(world.db, diary.problems);
  console.table(await addUp(world.db, diary));
  console.log(`The slowest answer took ${diary.slowestMs} ms. Answers:`, Object.fromEntries([...diary.answers].sort()));
  say('npm run verify');
  console.log(await verify(world.env, diary.problems));
} finally {
  isOver = true;
  await world.close();
}
for (const problem of new Set(diary.problems)) console.log(`PROBLEM ${problem}`);
console.log(diary.problems.length === 0 ? 'Everything adds up.' : `${diary.problems.length} problems.`);
process.exitCode = diary.problems.length === 0 ? 0 : 1;

async function repeat(visit: () => Promise<void>): Promise<void> {
  while (!isOver) {
    await visit().catch((error: unknown) => diary.problems.push(`a visit failed: ${error}`));
    await wait(50);
  }
}

async function happen({ name, happen: begin }: Fault): Promise<void> {
  say(`${name} (${diary.purchases.length} purchases so far)`);
  await begin(world, diary).catch((error: unknown) => diary.problems.push(`${name}: ${error}`));
}
