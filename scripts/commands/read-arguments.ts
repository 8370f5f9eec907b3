import { type ParseArgsConfig, parseArgs } from 'node:util';
import { StartError } from '../../src/server/platform/system-errors.ts';

/** Reads the arguments of the command. Throws StartError with the usage for wrong ones. */
export function readArguments<T extends ParseArgsConfig>(usage: string, config: T) {
  try {
    return parseArgs(config);
  } catch {
    throw usageError(usage);
  }
}

export const usageError = (usage: string) => new StartError(`Usage: npm run ${usage}`);

/** Reads the one argument of a command, the path of a file. */
export function readFileArgument(usage: string): string {
  const { positionals } = readArguments(usage, { allowPositionals: true });
  const [file] = positionals;
  if (!file || positionals.length > 1) throw usageError(usage);
  return file;
}
