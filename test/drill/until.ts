import { setTimeout as wait } from 'node:timers/promises';

const LIMIT_MS = 180_000;

/** Waits until the condition holds; throws after three minutes. */
export async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  for (const limit = Date.now() + LIMIT_MS; !(await holds()); await wait(200)) {
    if (Date.now() > limit) throw new Error(`There is still not: ${what}`);
  }
}

/** Returns whether the URL answers with a 2xx within two seconds. */
export const answersOk = (url: string): Promise<boolean> =>
  fetch(url, { signal: AbortSignal.timeout(2_000) }).then(
    ({ ok }) => ok,
    () => false,
  );
