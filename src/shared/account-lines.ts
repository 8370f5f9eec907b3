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
