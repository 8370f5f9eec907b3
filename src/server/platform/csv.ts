import { type Options, stringify } from 'csv-stringify/sync';

// In locales with decimal commas, a spreadsheet separates cells by semicolons, and sometimes by tabs.
const FORMULA_IN_CELL = /((?:[;|]|(?<!^)\t)\s*)([=+\-@＝＋－＠])/g;

/** Formats rows as CSV for spreadsheets. Formulas are escaped as text for every separator that spreadsheets use. */
export const csvOf = (rows: readonly (string | number)[][], options: Options = {}): string =>
  stringify(
    rows.map((row) => row.map((cell) => (typeof cell === 'string' ? cell.replace(FORMULA_IN_CELL, "$1'$2") : cell))),
    { escape_formulas: true, ...options },
  );
