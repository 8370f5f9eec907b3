import type { ReactNode } from 'react';
import { Navigate, useLocation } from 'react-router';
import { useSession } from './session.tsx';

/** A screen for signed-in people. The login screen leads back to it. */
export function RequireSession({ children }: { children: ReactNode }) {
  const { status } = useSession();
  const { pathname } = useLocation();
  if (status === 'signed-out') return <Navigate to="/login" replace state={{ from: pathname }} />;
  return children;
}
