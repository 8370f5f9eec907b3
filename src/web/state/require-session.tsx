import { type ReactNode, useEffect, useState } from 'react';
import { Navigate, useLocation } from 'react-router';
import { NO_SESSION } from '../../shared/session-messages.ts';
import { useSession } from './session.tsx';
import { useToasts } from './toasts.tsx';

/** A screen for signed-in users. Other visitors get a message and the login screen, which leads back. */
export function RequireSession({ children }: { children: ReactNode }) {
  const { status } = useSession();
  return status !== 'undecided' && <DecidedSession>{children}</DecidedSession>;
}

function DecidedSession({ children }: { children: ReactNode }) {
  const { status, whySignedOut } = useSession();
  const { pathname, search } = useLocation();
  // If a session ends while the screen is open, its message was already shown; a logout needs no message.
  const [cameSignedOut] = useState(status === 'signed-out');
  useNotice(cameSignedOut ? whySignedOut : null);
  if (status !== 'signed-out') return children;
  const comesBack = cameSignedOut || whySignedOut !== NO_SESSION;
  return <Navigate to="/login" replace state={comesBack ? { from: pathname + search } : null} />;
}

/** Shows a message once, e.g. why the visitor is redirected. */
export function useNotice(message: string | null) {
  const { show } = useToasts();
  useEffect(() => {
    if (message !== null) show({ type: 'warning', message });
  }, [message, show]);
}
