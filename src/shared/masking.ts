import { readAccount } from './account-lines.ts';

const MASK = '••••••••';
const EDGE = 4;

/**
 * Masks a secret. An account and `user:pass` keep the user; any other text of more than ten characters keeps its first
 * and last four; a shorter one keeps nothing. Text with a space before its colon is masked completely, because that
 * part may be a key with a remark instead of a user.
 */
export function maskContent(content: string): string {
  const account = readAccount(content);
  if (account) return `${account[0]?.value}:${MASK}`;
  const [, user] = /^([^:]+):/.exec(content) ?? [];
  if (user !== undefined) return /\s/.test(user) ? MASK : `${user}:${MASK}`;
  if (content.length > 10) return `${content.slice(0, EDGE)}${MASK}${content.slice(-EDGE)}`;
  return MASK;
}
