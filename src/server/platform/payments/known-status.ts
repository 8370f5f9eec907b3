/** A status of the provider's as one that the shop knows; throws for any other. */
export function knownStatus<T extends string>(known: readonly T[], status: string): T {
  const found = known.find((candidate) => candidate === status);
  if (found === undefined) throw new Error(`The payment provider answered an unknown status: ${status}`);
  return found;
}
