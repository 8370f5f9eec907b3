import * as z from 'zod/mini';
import { listResponse } from './endpoint.ts';
import { composed, line } from './text.ts';

/** Default page size of the dashboard's lists; large enough to show all rows of a small shop at once. */
export const DEFAULT_PAGE_SIZE = 100;

/** Totals are counted up to this number. */
export const MAX_COUNT = 10_000;

export const MAX_SEARCH_LENGTH = 100;

/** Search text: a case-insensitive part of the searched fields. */
export const searchText = (max: number) => line(max).check(composed);

const BAD_LIMIT = 'must be a whole number from 1 to 200';

export const pageStart = {
  limit: z.optional(
    z.coerce.number('must be a number').check(z.int(BAD_LIMIT), z.minimum(1, BAD_LIMIT), z.maximum(200, BAD_LIMIT)),
  ),
  /** `nextCursor` of the previous page. */
  cursor: z.optional(z.string().check(z.maxLength(400))),
};

export const pageQuery = { q: z.optional(searchText(MAX_SEARCH_LENGTH)), ...pageStart };

/** A day as YYYY-MM-DD in the shop's time zone. The year 0000 is rejected, because it does not exist. */
export const day = z.iso.date().check(z.refine((value) => !value.startsWith('0000'), 'Invalid ISO date'));

/** First and last day, both included; either may be left out. */
export const dayRange = { from: z.optional(day), to: z.optional(day) };

/** A page of a list whose matches are not counted. */
export const uncountedPage = <T extends z.ZodMiniType>(entry: T) =>
  z.extend(listResponse(entry), { nextCursor: z.nullable(z.string()) });

export const page = <T extends z.ZodMiniType>(entry: T) =>
  z.extend(uncountedPage(entry), {
    /** Number of matches on all pages, counted up to MAX_COUNT. */
    total: z.int(),
    /** There may be more matches than `total`, because counting stopped at MAX_COUNT. */
    hasUncounted: z.boolean(),
  });

export type Counted = { total: number; hasUncounted: boolean };
