import { useQuery } from '@tanstack/react-query';
import { call } from '../lib/api-client.ts';
import { useSession } from './session.tsx';

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
