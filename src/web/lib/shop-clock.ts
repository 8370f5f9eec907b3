// The header has whole seconds, and an answer takes its time.
const TOLERANCE_MS = 5_000;

let aheadMs: number | undefined;

/** Learns from the first answer of the shop by how much the clock of this device is wrong. */
export function learnShopTime({ headers }: Response): void {
  const difference = Date.now() - Date.parse(headers.get('Date') ?? '');
  aheadMs ??= Math.abs(difference) > TOLERANCE_MS ? difference : 0;
}

/** Returns the shop's time, in milliseconds since 1970: its offers begin and end by it, whatever the clock here says. */
export const shopNow = (): number => Date.now() - (aheadMs ?? 0);
