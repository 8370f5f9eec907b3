/** One line of progress. */
export function say(line) {
  console.log(line);
}

/** Ends the script with one line that says what is wrong and how to go on; a stack trace would only hide it. */
export function exitWith(line) {
  console.error(line);
  process.exit(1);
}

/** How long something took, as people say it: "0.8 s", "14 s". */
export function secondsSince(startedAt) {
  const seconds = (Date.now() - startedAt) / 1000;
  return `${seconds < 10 ? seconds.toFixed(1) : Math.round(seconds)} s`;
}
