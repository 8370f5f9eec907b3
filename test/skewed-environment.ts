import { execFileSync } from 'node:child_process';
import { findProgram } from './programs.ts';

/**
 * Returns environment variables that shift a program's clock, such as by `+1d`. The program is not started through the
 * `faketime` command: signals would end the command and leave the program running, and a kill leaves its locks taken.
 */
export async function skewedEnvironment(off: string): Promise<Record<string, string>> {
  const faketime = await findProgram('faketime');
  const lines = execFileSync(faketime, ['-m', '-f', off, 'env'], { encoding: 'utf8' });
  const preload = /^LD_PRELOAD=(.*)$/m.exec(lines)?.[1] ?? '';
  // Timers use the time since the machine was started, which nobody sets.
  return { LD_PRELOAD: preload, FAKETIME: off, FAKETIME_DONT_FAKE_MONOTONIC: '1' };
}
