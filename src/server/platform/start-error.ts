/** Why the shop cannot start, when whoever starts it can put it right. The message is one line that says how. */
export class StartError extends Error {
  override name = 'StartError';
}

/** A wrong or missing setting. The message is one line that names the variable and the fix, never its value. */
export class ConfigError extends StartError {
  constructor(variable: string, problem: string) {
    super(`${variable} ${problem}`);
    this.name = 'ConfigError';
  }
}
