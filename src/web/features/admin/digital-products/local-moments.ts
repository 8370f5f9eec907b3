/** A timestamp as `datetime-local` wants it: the clock on the wall here, to the minute. */
export function toLocalMoment(timestamp: string | null): string {
  if (timestamp === null) return '';
  const moment = new Date(timestamp);
  return new Date(moment.getTime() - moment.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/**
 * What was typed there as a timestamp; null for nothing. Left as it was filled in, it is the original one to the
 * millisecond: else saving something else would move the start of a flash sale, which makes it another sale.
 */
export function toTimestamp(typed: string, original: string | null | undefined): string | null {
  if (typed === '') return null;
  if (original && toLocalMoment(original) === typed) return original;
  const moment = new Date(typed);
  return Number.isNaN(moment.getTime()) ? null : moment.toISOString();
}
