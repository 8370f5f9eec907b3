import type { Counted } from './paging.ts';

/** How many there are of something, with separated thousands. */
export const formatCount = (count: number): string => count.toLocaleString('en-MY');

/** How many a list has; with a plus where they were not counted to the end. */
export const formatTotal = ({ total, hasUncounted }: Counted): string =>
  `${formatCount(total)}${hasUncounted ? '+' : ''}`;
