import { beforeEach, expect, test } from 'vitest';
import { createDatabaseClock } from './database-clock.ts';

const START = Date.parse('2027-01-01T00:00:00Z');

// The database's time and this machine's two clocks, moved by the tests.
let databaseMs: number;
let wallMs: number;
let monotonicMs: number;
let roundTripMs: number;
let alerts: unknown[];
let clock: ReturnType<typeof createDatabaseClock>;

function pass(ms: number): void {
  databaseMs += ms;
  wallMs += ms;
  monotonicMs += ms;
}

beforeEach(() => {
  databaseMs = START;
  wallMs = START;
  monotonicMs = 1_000;
  roundTripMs = 2;
  alerts = [];
  clock = createDatabaseClock({
    // The response is made one millisecond before the round trip ends.
    readTime: async () => {
      pass(roundTripMs - 1);
      const answer = databaseMs;
      pass(1);
      return answer;
    },
    log: {
      error: (line: object) => alerts.push('alert' in line && line.alert),
      info: () => alerts.push('right again'),
    } as never,
    local: { wallMs: () => wallMs, monotonicMs: () => monotonicMs },
  });
});

const errorMs = () => clock.now().getTime() - databaseMs;

test('follows the database, however the clock of the machine is set', async () => {
  wallMs += 86_400_000;
  await clock.measure();
  expect(errorMs()).toBe(0);
  wallMs -= 3 * 86_400_000;
  pass(60_000);
  expect(errorMs()).toBe(0);
});

test('keeps the measurement of the shortest round trip, and follows a database whose time was set', async () => {
  await clock.measure();
  roundTripMs = 900;
  await clock.measure();
  expect(errorMs()).toBe(0);
  databaseMs += 3_600_000;
  await clock.measure();
  expect(Math.abs(errorMs())).toBeLessThan(450);
  roundTripMs = 2;
  await clock.measure();
  expect(errorMs()).toBe(0);
});

test('an older measurement is given up after two minutes, when clocks may have drifted apart', async () => {
  await clock.measure();
  roundTripMs = 20;
  databaseMs += 10;
  for (let times = 0; times < 7; times += 1) await clock.measure();
  expect(errorMs()).toBe(-10);
  await clock.measure();
  expect(Math.abs(errorMs())).toBeLessThan(10);
});

test('alerts once when the machine is off by more than 5 s, and again after it was right', async () => {
  await clock.measure();
  wallMs += 4_900;
  await clock.measure();
  expect(alerts).toEqual([]);
  wallMs += 200;
  await clock.measure();
  await clock.measure();
  expect(alerts).toEqual(['clock-skew']);
  wallMs -= 5_100;
  await clock.measure();
  wallMs -= 6_000;
  await clock.measure();
  expect(alerts).toEqual(['clock-skew', 'right again', 'clock-skew']);
});

test('is not measured three minutes after the last answer, which is alerted once', async () => {
  expect(clock.isMeasured()).toBe(false);
  await clock.measure();
  pass(179_000);
  clock.missed(new Error('away'));
  expect([clock.isMeasured(), alerts]).toEqual([true, []]);
  pass(2_000);
  clock.missed(new Error('away'));
  clock.missed(new Error('away'));
  expect([clock.isMeasured(), alerts]).toEqual([false, ['clock-unknown']]);
  await clock.measure();
  expect([clock.isMeasured(), alerts]).toEqual([true, ['clock-unknown', 'right again']]);
});
