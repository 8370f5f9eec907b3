import { AppError } from '../../../shared/errors.ts';
import { timestamp } from '../../../shared/text.ts';

/** The sort values of the last row shown, as PostgreSQL prints them. */
export type Cursor = string[];

export const encodeCursor = (cursor: Cursor): string =>
  Buffer.from(JSON.stringify(cursor)).toString('base64url');

const INTEGER = 2 ** 31;
const moment = /^(?!0000)(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d(?:\.\d{1,6})?)([+-](?:0\d|1[0-4]))(:[0-5]\d)?$/;

// By the type that a sort value is cast to in SQL: a cast never meets what it would fail at.
const readable = {
  integer: (value: string) => /^-?\d{1,10}$/.test(value) && Math.abs(Number(value)) < INTEGER,
  bigint: (value: string) => /^\d{1,18}$/.test(value),
  uuid: (value: string) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(value),
  timestamptz: (value: string) =>
    timestamp.safeParse(
      value.replace(moment, (_, day, time, hours, minutes = ':00') => `${day}T${time}${hours}${minutes}`),
    ).success,
} satisfies Record<string, (value: string) => boolean>;

export type SortType = keyof typeof readable;

/** Reads a cursor of values of these types; throws VALIDATION_FAILED when it is not one that this sort handed out. */
export function decodeCursor(text: string, types: readonly SortType[]): Cursor {
  const values = parseJson(Buffer.from(text, 'base64url').toString());
  const valid =
    Array.isArray(values) &&
    values.length === types.length &&
    types.every((type, index) => typeof values[index] === 'string' && readable[type](values[index]));
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
  const [createdAt = '', id = ''] = decodeCursor(text, ['timestamptz', 'uuid']);
  return { createdAt, id };
}
