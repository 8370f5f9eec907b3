/** The shop cannot start, and the operator can correct the cause. The message is one line that says how. */
export class StartError extends Error {
  override name = 'StartError';
}

/** A wrong or missing setting. The message is one line with the variable and the fix, but without the value. */
export class ConfigError extends StartError {
  constructor(variable: string, problem: string) {
    super(`${variable} ${problem}`);
    this.name = 'ConfigError';
  }
}
