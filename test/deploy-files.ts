import { readFileSync } from 'node:fs';

/**
 * Returns a file of deploy/ with a test's values in place of its example values, each of which must occur exactly once.
 */
export function fillInDeployFile(file: string, values: Record<string, string>): string {
  let text = readFileSync(new URL(`../deploy/${file}`, import.meta.url), 'utf8');
  for (const [example, value] of Object.entries(values)) {
    if (text.split(example).length !== 2) throw new Error(`deploy/${file} must have "${example}" once`);
    text = text.replace(example, value);
  }
  return text;
}
