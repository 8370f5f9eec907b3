/** The fields of an account that is sold as an item, in the sequence in which they are kept, a line each. */
export const accountLabels = ['User', 'Password', 'Note'] as const;

/** An account as one item; an empty note is left out. */
export const accountItem = (values: Record<(typeof accountLabels)[number], string>): string =>
  accountLabels
    .map((label) => [label, values[label].trim()] as const)
    .filter(([, value]) => value !== '')
    .map(([label, value]) => `${label}: ${value}`)
    .join('\n');

/** The fields of an item that is an account; null of any other item. */
export function readAccount(content: string): { label: string; value: string }[] | null {
  const fields = content.split('\n').map((line) => {
    const label = accountLabels.find((known) => line.startsWith(`${known}: `));
    return label && { label, value: line.slice(label.length + 2) };
  });
  const isAccount = fields[0]?.label === 'User' && fields[1]?.label === 'Password';
  return isAccount && fields.every((field) => field !== undefined) ? fields : null;
}
