const FIRST_MS = 3_000;
const LONGEST_MS = 60_000;

/**
 * For a query's `refetchInterval`: asks again after 3 s, and then ever later up to a minute, while `isAwaited` says that what it
 * shows will change by itself.
 */
export const askAgainWhile =
  <Data>(isAwaited: (data: Data) => boolean) =>
  ({ state: { data, dataUpdateCount } }: { state: { data: Data | undefined; dataUpdateCount: number } }) =>
    data !== undefined && isAwaited(data) && Math.min(FIRST_MS * 1.1 ** (dataUpdateCount - 1), LONGEST_MS);
