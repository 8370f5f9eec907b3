import { AppError } from '../../../shared/errors.ts';

/** The sort values of the last row shown, as PostgreSQL prints them. */
export type Cursor = string[];

export const encodeCursor = (cursor: Cursor): string =>
  Buffer.from(JSON.stringify(cursor)).toString('base64url');

// What a sort value can look like: an integer, a timestamp, a uuid. Anything else never reaches a cast in SQL.
const sortValue =
  /^(-?\d{1,10}|\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)?[+-]\d\d(:\d\d)?|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

/** Reads a cursor of `length` values; throws VALIDATION_FAILED when it is not one that this sort handed out. */
export function decodeCursor(text: string, length: number): Cursor {
  const values = parseJson(Buffer.from(text, 'base64url').toString());
  const valid =
    Array.isArray(values) &&
    values.length === length &&
    values.every((value): value is string => typeof value === 'string' && sortValue.test(value));
  if (!valid) throw new AppError('VALIDATION_FAILED', 'cursor: is not one of this list', 'cursor');
  return values;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Of lists that stand in the order of their creation, newest first. */
export function decodeNewestCursor(text: string | undefined): { createdAt: string; id: string } | undefined {
  if (text === undefined) return undefined;
  const [createdAt = '', id = ''] = decodeCursor(text, 2);
  return { createdAt, id };
}
