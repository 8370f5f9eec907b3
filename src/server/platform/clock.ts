/** The shop's only source of the time: the database's clock (database/database-clock.ts), or a replacement in tests. */
export interface Clock {
  now(): Date;
}
