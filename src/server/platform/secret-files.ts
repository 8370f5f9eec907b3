import { readFileSync } from 'node:fs';
import { errorCodeOf } from './caught-errors.ts';
import { ConfigError } from './start-error.ts';

type Variables = Record<string, string | undefined>;

/**
 * Returns the variables with each of the settings read from the file that its variable with `_FILE` names, as container
 * platforms mount secrets. Throws a one-line ConfigError for a setting that is given both ways, and for a file that is
 * empty or cannot be read.
 */
export function readSecretFiles(env: Variables, names: readonly string[]): Variables {
  const read: Variables = {};
  for (const name of names) {
    const fileVariable = `${name}_FILE`;
    const path = env[fileVariable]?.trim();
    if (!path) continue;
    if (env[name]?.trim()) throw new ConfigError(name, `is set twice: remove it, or ${fileVariable}`);
    read[name] = readSecret(fileVariable, path);
  }
  return { ...env, ...read };
}

// The messages omit the path: it may be the secret itself, set in the wrong variable.
function readSecret(variable: string, path: string): string {
  let text: string;
  try {
    text = readFileSync(path, 'utf8').trim();
  } catch (error) {
    const code = errorCodeOf(error) || 'unknown error';
    throw new ConfigError(variable, `names a file that cannot be read (${code}): correct the path or its permissions`);
  }
  if (text === '') throw new ConfigError(variable, 'names an empty file: write the secret into it');
  return text;
}
