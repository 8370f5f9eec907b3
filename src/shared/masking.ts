import { readAccount } from './account-lines.ts';

const MASK = '••••••••';
const EDGE = 4;

// Three groups at least, e.g. `ABCDE-FGHIJ-KLMNO`.
const KEY = /^[A-Z0-9]{3,}(?:-[A-Z0-9]{3,}){2,}$/;

/**
 * Masks a secret. An account and `user:pass` keep the user; any other text of more than ten characters keeps its first
 * and last four; a shorter one keeps nothing. Text that has a space or a key before its colon is masked completely: that
 * is a key with a remark instead of a user.
 */
export function maskContent(content: string): string {
  const account = readAccount(content);
  if (account) return `${account[0]?.value}:${MASK}`;
  const [, user] = /^([^:]*):/.exec(content) ?? [];
  if (user !== undefined) return /\s/.test(user) || KEY.test(user) ? MASK : `${user}:${MASK}`;
  if (content.length > 10) return `${content.slice(0, EDGE)}${MASK}${content.slice(-EDGE)}`;
  return MASK;
}
