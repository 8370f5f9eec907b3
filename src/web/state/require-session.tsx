import { type ReactNode, useEffect, useState } from 'react';
import { Navigate, useLocation } from 'react-router';
import { NO_SESSION } from '../../shared/session-messages.ts';
import { useSession } from './session.tsx';
import { useToasts } from './toasts.tsx';

/** A screen for signed-in users. Others get a message and the login screen, which leads back. */
export function RequireSession({ children }: { children: ReactNode }) {
  const { status } = useSession();
  return status !== 'undecided' && <DecidedSession>{children}</DecidedSession>;
}

function DecidedSession({ children }: { children: ReactNode }) {
  const { status, whySignedOut } = useSession();
  const { pathname, search } = useLocation();
  // A session that ends while the screen is open already had its message; after a logout none is needed.
  const [cameSignedOut] = useState(status === 'signed-out');
  useNotice(cameSignedOut ? whySignedOut : null);
  if (status !== 'signed-out') return children;
  const comesBack = cameSignedOut || whySignedOut !== NO_SESSION;
  return <Navigate to="/login" replace state={comesBack ? { from: pathname + search } : null} />;
}

/** Shows a message once, such as why the reader is led away. */
export function useNotice(message: string | null) {
  const { show } = useToasts();
  useEffect(() => {
    if (message !== null) show({ type: 'warning', message });
  }, [message, show]);
}
