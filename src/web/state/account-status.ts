import { useMutation, useQuery } from '@tanstack/react-query';
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

/** The props of `VerifyEmail`. */
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

/** Whether two-factor is on for the signed-in user; call `refetch` after a change. */
export function useTwoFactorStatus() {
  const { user } = useSession();
  return useQuery({
    queryKey: ['mine', user?._id, 'two-factor'],
    queryFn: async () => (await call('GET /auth/2fa/status')).data,
    enabled: user !== null,
  });
}

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

/** Prefix of the query keys for the reviews of a user. */
export const ownReviewsKey = (userId: string | undefined) => ['mine', userId, 'reviews'];

/** Loads the products that the signed-in user may review or has reviewed: all of them, or only `product`. */
export function useOwnReviews(product?: string) {
  const userId = useSession().user?._id;
  return useQuery({
    queryKey: [...ownReviewsKey(userId), product],
    queryFn: async () => (await call('GET /my-reviews', { query: product === undefined ? {} : { product } })).data,
    enabled: userId !== undefined,
  });
}
