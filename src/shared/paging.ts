import * as z from 'zod/mini';
import { line } from './text.ts';

/** Of every list of the dashboard; large enough that a small shop sees all of it at once. */
export const FIRST_PAGE = 100;

/** Nobody counts further than this to say how many there are. */
export const MOST_COUNTED = 10_000;

export const pageQuery = {
  /** Case-insensitive part of what the list is searched by. */
  q: z.optional(line(100)),
  limit: z.optional(z.coerce.number().check(z.int(), z.minimum(1), z.maximum(200))),
  /** `nextCursor` of the page before. */
  cursor: z.optional(z.string().check(z.maxLength(400))),
};

/** A day as YYYY-MM-DD, in the shop's time zone. There was no year 0000. */
export const day = z.iso.date().check(z.refine((value) => !value.startsWith('0000'), 'Invalid ISO date'));

/** From the first day to the last, both included; either may be left out. */
export const dayRange = { from: z.optional(day), to: z.optional(day) };

export const page = <T extends z.ZodMiniType>(entry: T) =>
  z.object({
    success: z.literal(true),
    data: z.array(entry),
    nextCursor: z.nullable(z.string()),
    /** How many match on all pages together, as far as they are counted. */
    total: z.int(),
    /** There may be more than `total`: what is found that often is not counted to its end. */
    hasUncounted: z.boolean(),
  });

export type Counted = { total: number; hasUncounted: boolean };
