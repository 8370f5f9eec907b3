// The header has whole seconds, and an answer takes its time.
const TOLERANCE_MS = 5_000;

let aheadMs: number | undefined;

/** Learns from the first answer of the shop by how much the clock of this device is wrong; returns the answer. */
export function learnShopTime(response: Response): Response {
  const difference = Date.now() - Date.parse(response.headers.get('Date') ?? '');
  aheadMs ??= Math.abs(difference) > TOLERANCE_MS ? difference : 0;
  return response;
}

/** Returns the shop's time: its offers begin and end by it, whatever the clock here says. */
export const shopNow = (): Date => new Date(Date.now() - (aheadMs ?? 0));
