import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { SHOP_TIME_ZONE } from '../../../shared/format.ts';

/** The moment at which a day (YYYY-MM-DD) of the shop begins, or `daysLater` days after it. */
export const startOfDay = (day: string, daysLater = 0): RawBuilder<Date> =>
  sql<Date>`((${day}::date + ${sql.lit(daysLater)})::timestamp AT TIME ZONE ${sql.lit(SHOP_TIME_ZONE)})`;

/** The condition that a moment lies on one of these days, both included; open where one is left out. */
export function onDays(
  column: string,
  { from, to }: { from?: string | undefined; to?: string | undefined },
): RawBuilder<SqlBool> {
  const moment = sql.ref(column);
  const start = from === undefined ? sql`'-infinity'` : startOfDay(from);
  const end = to === undefined ? sql`'infinity'` : startOfDay(to, 1);
  return sql<SqlBool>`(${moment} >= ${start} AND ${moment} < ${end})`;
}
