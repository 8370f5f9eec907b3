import { queryOptions, useQuery } from '@tanstack/react-query';
import { call } from '../lib/api-client.ts';
import { useSession } from './session.tsx';

/** First elements of the key of what a user may review and has reviewed. */
export const ownReviewsKey = (userId: string | undefined) => ['mine', userId, 'reviews'];

const ownReviewsQuery = (userId: string | undefined, product: string | undefined) =>
  queryOptions({
    queryKey: [...ownReviewsKey(userId), product],
    queryFn: async () => (await call('GET /my-reviews', { query: product === undefined ? {} : { product } })).data,
    enabled: userId !== undefined,
  });

/** What the signed-in user may review and has reviewed: of one product, or of all. Nobody else's. */
export function useOwnReviews(product?: string) {
  const { user } = useSession();
  return useQuery(ownReviewsQuery(user?._id, product));
}
