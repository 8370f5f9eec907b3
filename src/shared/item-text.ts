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

/** Labels of an account that is sold as an item. The item stores one field per line, in this order. */
export const accountLabels = ['User', 'Password', 'Note'] as const;

/** Returns the content of an item for an account; empty values are left out. */
export const accountItem = (values: Record<(typeof accountLabels)[number], string>): string =>
  accountLabels
    .map((label) => [label, values[label].trim()] as const)
    .filter(([, value]) => value !== '')
    .map(([label, value]) => `${label}: ${value}`)
    .join('\n');

/** Returns the fields of an account item; null for any other item. */
export function readAccount(content: string): { label: string; value: string }[] | null {
  const fields = content.split('\n').map((line) => {
    const label = accountLabels.find((known) => line.startsWith(`${known}: `));
    return label && { label, value: line.slice(label.length + 2) };
  });
  const isAccount = fields[0]?.label === 'User' && fields[1]?.label === 'Password';
  return isAccount && fields.every((field) => field !== undefined) ? fields : null;
}
