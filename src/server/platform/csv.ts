import { type Options, stringify } from 'csv-stringify/sync';

// Where a list uses commas for decimals, a spreadsheet separates cells by semicolons, and some by tabs.
const FORMULA_IN_CELL = /((?:[;|]|(?<!^)\t)\s*)([=+\-@＝＋－＠])/g;

/** Writes rows as CSV for spreadsheets; what would be a formula there, in whatever way cells are separated, is shown as text. */
export const csvOf = (rows: readonly (string | number)[][], options: Options = {}): string =>
  stringify(
    rows.map((row) => row.map((cell) => (typeof cell === 'string' ? cell.replace(FORMULA_IN_CELL, "$1'$2") : cell))),
    { escape_formulas: true, ...options },
  );
