import { StartError } from './start-error.ts';

/** A wrong or missing setting. The message is one line that names the variable and the fix, never its value. */
export class ConfigError extends StartError {
  constructor(variable: string, problem: string) {
    super(`${variable} ${problem}`);
    this.name = 'ConfigError';
  }
}
