const FIRST_MS = 3_000;
const LONGEST_MS = 60_000;

/**
 * Returns a `refetchInterval` for a query: refetches after 3 s, then at growing intervals of up to a minute, while
 * `isAwaited` returns true, i.e. while the data will change by itself.
 */
export const refetchWhile =
  <Data>(isAwaited: (data: Data) => boolean) =>
  ({ state: { data, dataUpdateCount } }: { state: { data: Data | undefined; dataUpdateCount: number } }) =>
    data !== undefined && isAwaited(data) && Math.min(FIRST_MS * 1.1 ** (dataUpdateCount - 1), LONGEST_MS);
