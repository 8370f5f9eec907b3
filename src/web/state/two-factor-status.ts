import { useQuery } from '@tanstack/react-query';
import { call } from '../lib/api-client.ts';
import { useSession } from './session.tsx';

/** Whether the signed-in person's two-factor is on. `refetch` once that has changed. */
export function useTwoFactorStatus() {
  const { user } = useSession();
  return useQuery({
    queryKey: ['mine', user?._id, 'two-factor'],
    queryFn: async () => (await call('GET /auth/2fa/status')).data,
  });
}
