const MASK = '••••••••';
const EDGE = 4;

/**
 * A delivered secret as it stands on the screen before it is shown: of `user:pass` only the user; of anything longer
 * than ten characters the first and last four; of the rest nothing. Nothing either where there are
 * spaces before the colon: that may be a name, but also a key with a remark.
 */
export function maskContent(content: string): string {
  const [, user] = /^([^:]+):/.exec(content) ?? [];
  if (user !== undefined) return /\s/.test(user) ? MASK : `${user}:${MASK}`;
  if (content.length > 10) return `${content.slice(0, EDGE)}${MASK}${content.slice(-EDGE)}`;
  return MASK;
}
