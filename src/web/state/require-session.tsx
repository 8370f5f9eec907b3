import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import { Navigate, useLocation } from 'react-router';
import { call } from '../lib/api-client.ts';
import { NO_SESSION } from '../lib/examine-token.ts';
import { useSession } from './session.tsx';
import { useToasts } from './toasts.tsx';

const CHECK_EVERY_MS = 5 * 60 * 1000;
const ACCESS_DENIED = 'Access denied. Administrator privileges required.';

interface GuardProps {
  children: ReactNode;
}

/** A screen for signed-in users. Others get a message and the login screen, which leads back. */
export function RequireSession({ children }: GuardProps) {
  const { status, whySignedOut } = useSession();
  const { pathname } = useLocation();
  // A session that ends while the screen is open already had its message; after a logout none is needed.
  const [cameSignedOut] = useState(status === 'signed-out');
  useNotice(cameSignedOut ? whySignedOut : null);
  if (status !== 'signed-out') return children;
  const comesBack = cameSignedOut || whySignedOut !== NO_SESSION;
  return <Navigate to="/login" replace state={comesBack ? { from: pathname } : null} />;
}

interface RoleGuardProps extends GuardProps {
  /** Renders the check of the role while it runs and after it has failed. */
  verifying(check: UseQueryResult): ReactNode;
}

/** A screen for administrators; the role is checked when it opens and every five minutes. */
export function RequireAdmin({ children, verifying }: RoleGuardProps) {
  return (
    <RequireSession>
      <RequireRole verifying={verifying}>{children}</RequireRole>
    </RequireSession>
  );
}

function RequireRole({ children, verifying }: RoleGuardProps) {
  const { user } = useSession();
  const check = useQuery({
    queryKey: ['mine', user?._id, 'role'],
    queryFn: async () => (await call('GET /auth/me')).data.role,
    gcTime: 0,
    refetchInterval: CHECK_EVERY_MS,
    refetchIntervalInBackground: true,
  });
  const role = check.data;
  const isDenied = role !== undefined && role !== 'admin';
  useNotice(isDenied ? ACCESS_DENIED : null);
  if (isDenied) return <Navigate to="/" replace />;
  return role === undefined ? verifying(check) : children;
}

function useNotice(message: string | null) {
  const { show } = useToasts();
  useEffect(() => {
    if (message !== null) show({ type: 'warning', message });
  }, [message, show]);
}
