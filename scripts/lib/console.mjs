/** Ends the script with one line that says what is wrong and what to do; a stack trace would only hide it. */
export function exitWith(line) {
  console.error(line);
  process.exit(1);
}

/** Returns the time since `startedAt`, e.g. "0.8 s" or "14 s". */
export function secondsSince(startedAt) {
  const seconds = (Date.now() - startedAt) / 1000;
  return `${seconds < 10 ? seconds.toFixed(1) : Math.round(seconds)} s`;
}
