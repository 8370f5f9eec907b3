import { pageData } from './page.ts';
import { storage } from './storage.ts';
import { useCopy } from './use-copy.ts';

/** Ways to keep backup codes, which are shown only once: copied, or as a text file that says what they are. */
export function useKeepCodes(codes: string[]) {
  const { copied, copy } = useCopy();
  const storeName = pageData?.shop.storeName ?? 'Kedai';
  const text = [
    `Backup codes of ${storeName} for ${storage.user.read()?.email}`,
    'Each opens the account once, in place of a code from the authenticator app.',
    '',
    ...codes,
    '',
  ].join('\r\n');
  return {
    copied,
    onCopy: () => void copy(codes.join('\n')),
    file: { name: 'backup-codes.txt', url: `data:text/plain;charset=utf-8,${encodeURIComponent(text)}` },
  };
}
