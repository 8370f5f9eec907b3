/** Why the shop cannot start, when whoever starts it can put it right. The message is one line that says how. */
export class StartError extends Error {
  override name = 'StartError';
}
