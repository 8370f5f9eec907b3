import { basename } from 'node:path';
import { type Finding, isTest, lineAt, listFiles, readSource } from './source-files.ts';

const folders = ['packages', 'src', 'test', 'scripts', 'deploy'];
const checkedFiles = /\.(tsx?|m?js|css|html|sql|json|grit)$/;

const MAXIMUM_LINES = 250;
const MAXIMUM_TEST_LINES = 400;

// Each pattern is written so that it does not find itself.
const forbiddenText = [
  { pattern: /(biome|eslint|prettier|knip)-(ignore|disable)/, advice: 'fix it instead of silencing the check' },
  { pattern: /@ts-(ignore|nocheck|expect-error)/, advice: 'fix the type instead of silencing the compiler' },
  { pattern: /\b(TO[D]O|FIX[M]E|HAC[K])\b/, advice: 'finish it, or open an issue' },
];

/** The only file that may format dates and times. */
const DATES = 'src/shared/format.ts';
const formatsDate = /\.toLocale(Date|Time)String\b|\bDateTimeFormat\b/;

const nameThatSaysNothing = /(^|[/-])(utils?|helpers?|misc|common)([./-]|$)/;

/** Finds files that are too long, silence a check, postpone work, format dates, or have a name without meaning. */
export function checkFiles(root: string): Finding[] {
  return listFiles(root, folders, checkedFiles).flatMap((path) => {
    const source = readSource(root, path);
    return [
      ...tooLong(path, source),
      ...unwantedText(path, source),
      ...ownDateFormat(path, source),
      ...unwantedName(path),
    ];
  });
}

function tooLong(path: string, source: string): Finding[] {
  const lines = source.trimEnd().split('\n').length;
  const maximum = isTest(path) ? MAXIMUM_TEST_LINES : MAXIMUM_LINES;
  return lines > maximum ? [{ path, line: maximum + 1, message: `${lines} lines, ${maximum} at most` }] : [];
}

function unwantedText(path: string, source: string): Finding[] {
  return forbiddenText.flatMap(({ pattern, advice }) => {
    const match = pattern.exec(source);
    return match ? [{ path, line: lineAt(source, match.index), message: `"${match[0]}": ${advice}` }] : [];
  });
}

function ownDateFormat(path: string, source: string): Finding[] {
  const match = path.startsWith('src/') && path !== DATES && !isTest(path) && formatsDate.exec(source);
  return match ? [{ path, line: lineAt(source, match.index), message: `"${match[0]}": format dates by ${DATES}` }] : [];
}

function unwantedName(path: string): Finding[] {
  const saysNothing = /^index\.tsx?$/.test(basename(path)) || nameThatSaysNothing.test(path);
  return saysNothing ? [{ path, message: 'name the file for what it holds' }] : [];
}
