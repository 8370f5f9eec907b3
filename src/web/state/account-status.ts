import { type UseQueryOptions, useMutation, useQuery } from '@tanstack/react-query';
import { call, messageOf } from '../lib/api-client.ts';
import { trackedPayment } from '../lib/cart-storage.ts';
import { pageData } from '../lib/page.ts';
import { storage, useStored } from '../lib/storage.ts';
import { useSession } from './session.tsx';
import { useShop } from './shop.ts';

/**
 * A paid order of this browser that waits for a verified e-mail, or else the unverified e-mail of the signed-in
 * account. An order is shown only in the browser that paid, because anybody may have ordered with that e-mail.
 */
export function useEmailVerification() {
  const { user } = useSession();
  const hasPaid = useStored(trackedPayment) !== null;
  const { data: waiting } = useQuery({
    queryKey: ['waiting-order', user?._id],
    queryFn: async () => (await call('GET /digital-orders/guest/waiting')).data,
    enabled: hasPaid,
    // The e-mail may have been verified elsewhere, or another order may be waiting.
    gcTime: 0,
    staleTime: 0,
  });
  const ofOrder = useOrderVerification(waiting?.email ?? '');
  const ofAccount = useMailedLink('POST /auth/verifyemail', user?.email ?? '', {
    title: 'Verify your email',
    text: 'Please verify that this address is yours.',
  });
  if (waiting) return ofOrder;
  return user && !user.emailVerified ? ofAccount : null;
}

/** For a waiting order that was paid with `email`. The signed-in owner of that account can verify it there. */
export function useOrderVerification(email: string) {
  const { user } = useSession();
  const isOwnAccount = user?.email === email;
  return useMailedLink(
    isOwnAccount ? 'POST /auth/verifyemail' : 'POST /digital-orders/guest/waiting/verify-link',
    email,
    {
      title: `A paid order is waiting: verify ${email}`,
      text: isOwnAccount
        ? 'It is added to your account once you verify this address.'
        : 'Open the link in the mail we sent there, and the order is yours to open.',
    },
  );
}

function useMailedLink(
  name: 'POST /auth/verifyemail' | 'POST /digital-orders/guest/waiting/verify-link',
  email: string,
  { title, text }: { title: string; text: string },
) {
  const mailbox = useShop()?.mailbox;
  const mail = useMutation({ mutationFn: () => call(name) });
  return {
    title,
    text: mail.isSuccess ? `We have mailed a link to ${email}. Open it to verify the address.` : text,
    mailbox,
    isSending: mail.isPending,
    isSent: mail.isSuccess,
    problem: mail.isError ? messageOf(mail.error, 'The mail could not be sent') : null,
    onSend: () => mail.mutate(),
  };
}

/** Key of data of a user in the cache, from which it is removed when the session ends. */
export const mineKey = (userId: string | undefined, ...key: unknown[]) => ['mine', userId, ...key];

/** Reads data of the signed-in user. `key` identifies it in the cache. */
export function useMine<T>(
  key: readonly unknown[],
  read: () => Promise<{ data: T }>,
  options: Omit<UseQueryOptions<T>, 'queryKey' | 'queryFn'> = {},
) {
  const userId = useSession().user?._id;
  return useQuery({ queryKey: mineKey(userId, ...key), queryFn: async () => (await read()).data, ...options });
}

/** Whether two-factor is on for the signed-in user; call `refetch` after a change. */
export const useTwoFactorStatus = () =>
  useMine(['two-factor'], () => call('GET /auth/2fa/status'), { enabled: useSession().user !== null });

/** Returns a text file with the backup codes, which are shown only once. */
export function backupCodesFile(codes: string[]) {
  const storeName = pageData?.shop.storeName ?? 'Kedai';
  const lines = [
    `Backup codes of ${storeName} for ${storage.user.read()?.email}`,
    'Each opens the account once, in place of a code from the authenticator app.',
    '',
    ...codes,
    '',
  ];
  return { name: 'backup-codes.txt', text: lines.join('\r\n') };
}

/** Loads the products that the signed-in user may review or has reviewed: all of them, or only `product`. */
export const useOwnReviews = (product?: string) =>
  useMine(['reviews', product], () => call('GET /my-reviews', { query: product === undefined ? {} : { product } }), {
    enabled: useSession().user !== null,
  });
