import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** The script through which `npm run` starts a command. */
export const commandLauncher = fileURLToPath(new URL('../scripts/run.mjs', import.meta.url));

/** What a command of the operator gets of the test's own environment, besides the settings of its shop. */
export function commandEnvironment(settings: Record<string, string>): Record<string, string | undefined> {
  const { PATH, HOME, TMPDIR, NODE_COMPILE_CACHE } = process.env;
  return { PATH, HOME, TMPDIR, NODE_COMPILE_CACHE, ...settings };
}

/** Runs scripts/commands/<name>.ts in a process of its own. Rejects with the `code`, `stdout` and `stderr` of one that fails. */
export const runCommand = (name: string, args: string[], settings: Record<string, string>) =>
  runNode([`scripts/commands/${name}.ts`, ...args], settings);

/** The same through the launcher. */
export const launchCommand = (name: string, args: string[], settings: Record<string, string>) =>
  runNode([commandLauncher, `scripts/commands/${name}.ts`, ...args], settings);

const runNode = (args: string[], settings: Record<string, string>) =>
  promisify(execFile)(process.execPath, args, { env: commandEnvironment(settings) });
