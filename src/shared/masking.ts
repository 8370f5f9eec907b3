const MASK = '••••••••';
const EDGE = 4;

/**
 * A delivered secret as it stands on the screen before it is shown: of `user:pass` only the user, who has no spaces, as a
 * key with a remark has; of anything longer than ten characters the first and last four; of the rest nothing (DESIGN.md
 * section 9).
 */
export function maskContent(content: string): string {
  const user = /^[^\s:]+(?=:)/.exec(content)?.[0];
  if (user) return `${user}:${MASK}`;
  if (content.length > 10) return `${content.slice(0, EDGE)}${MASK}${content.slice(-EDGE)}`;
  return MASK;
}
