import { basename } from 'node:path';
import { isTest, lineAt, listFiles, readSource } from './source-files.mjs';

const folders = ['src', 'test', 'scripts', 'deploy', '.ci'];
const checkedFiles = /\.(tsx?|m?js|css|html|sql|json|grit)$/;

const maximumLines = 250;
const maximumTestLines = 400;

// Each pattern is written so that it does not find itself.
const forbiddenText = [
  {
    pattern: /(biome|eslint|prettier|knip)-(ignore|disable)/,
    message: 'fix it instead of silencing the check',
  },
  { pattern: /@ts-(ignore|nocheck|expect-error)/, message: 'fix the type instead of silencing the compiler' },
  { pattern: /\b(TO[D]O|FIX[M]E|HAC[K]|XX[X])\b/, message: 'finish it, or open an issue' },
];

const forbiddenName = /(^|[/-])(utils?|helpers?|misc|common)([./-]|$)/;

/** Files that are too long, silence a check, postpone work, or have a name that says nothing. */
export function checkFiles(root) {
  return listFiles(root, folders, checkedFiles).flatMap((path) => {
    const source = readSource(root, path);
    return [...tooLong(path, source), ...unwantedText(path, source), ...unwantedName(path)];
  });
}

function tooLong(path, source) {
  const lines = source.trimEnd().split('\n').length;
  const maximum = isTest(path) ? maximumTestLines : maximumLines;
  return lines > maximum
    ? [{ path, line: maximum + 1, message: `${lines} lines; at most ${maximum} are allowed` }]
    : [];
}

function unwantedText(path, source) {
  return forbiddenText.flatMap(({ pattern, message }) => {
    const match = pattern.exec(source);
    return match ? [{ path, line: lineAt(source, match.index), message: `"${match[0]}": ${message}` }] : [];
  });
}

function unwantedName(path) {
  if (/^index\.tsx?$/.test(basename(path)))
    return [{ path, message: 'no barrels: name the file for what it holds' }];
  if (forbiddenName.test(path)) return [{ path, message: 'name the file for what it holds' }];
  return [];
}
