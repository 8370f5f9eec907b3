import type { ReportKind } from '../../../shared/statistics.ts';
import { Readable } from 'node:stream';
import { stringify } from 'csv-stringify/sync';
import type { Database } from '../../platform/database/open-database.ts';
import type { CallPolicy } from '../../platform/http/route.ts';
import { reports } from './report-rows.ts';
import { type Days, findSoldDays } from './reports.queries.ts';

const DAY_MS = 24 * 60 * 60 * 1_000;

/**
 * A report as CSV for people's spreadsheets: what people have typed is never taken for a formula there, and the mark at the
 * beginning tells Excel that it is UTF-8. Read from the database as fast as it is taken. A failure on the way destroys the
 * stream, so that nobody takes a part for the whole.
 */
export function streamReport(db: Database, report: ReportOptions): Readable {
  return Readable.from(written(db, report), { objectMode: false });
}

interface ReportOptions extends Days {
  kind: ReportKind;
  /** Leaves people out of what the database says. */
  maskPeople?: CallPolicy['maskPeople'] | undefined;
}

async function* written(db: Database, { kind, maskPeople, ...days }: ReportOptions): AsyncGenerator<string> {
  const { header, rows } = reports[kind];
  yield csv([header], { bom: true });
  const sold = await findSoldDays(db, days);
  if (!sold) return;
  for await (const some of rows(db, eachDay(sold.first, sold.last), maskPeople)) {
    if (some.length > 0) yield csv(some);
  }
}

const csv = (rows: (string | number)[][], options = {}): string =>
  stringify(rows, { escape_formulas: true, record_delimiter: 'windows', ...options });

function* eachDay(first: string, last: string): Generator<string> {
  for (let at = Date.parse(first); at <= Date.parse(last); at += DAY_MS) {
    yield new Date(at).toISOString().slice(0, 10);
  }
}
