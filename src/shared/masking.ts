import { readAccount } from './account-lines.ts';

const MASK = '••••••••';
const EDGE = 4;

/**
 * A delivered secret before it is shown: of `user:pass` and of an account the user, of more than ten characters the first and last four,
 * else nothing; nor with spaces before the colon, which may be a name, but also a key with a remark.
 */
export function maskContent(content: string): string {
  const account = readAccount(content);
  if (account) return `${account[0]?.value}:${MASK}`;
  const [, user] = /^([^:]+):/.exec(content) ?? [];
  if (user !== undefined) return /\s/.test(user) ? MASK : `${user}:${MASK}`;
  if (content.length > 10) return `${content.slice(0, EDGE)}${MASK}${content.slice(-EDGE)}`;
  return MASK;
}
