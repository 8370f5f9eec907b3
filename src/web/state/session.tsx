import { useQueryClient } from '@tanstack/react-query';
import { createContext, type ReactNode, useCallback, useContext, useEffect, useMemo, useState } from 'react';
import { useNavigate } from 'react-router';
import type { User } from '../../shared/accounts.ts';
import { call, onSessionRefused } from '../lib/api-client.ts';
import { NO_SESSION, problemOfToken, SESSION_EXPIRED } from '../lib/examine-token.ts';
import { storage } from '../lib/storage.ts';
import { useStored } from '../lib/use-stored.ts';
import { withCartLock } from './cart-lock.ts';
import { useToasts } from './toasts.tsx';

// What the account is just being told of the cart would be lost; but who logs out does not wait for a shop that is away.
const MOST_WAIT_FOR_CART_MS = 1000;

interface Session {
  status: 'loading' | 'signed-in' | 'signed-out';
  user: User | null;
  /** What a guard says to whoever comes without a session. */
  whySignedOut: string;
  /** Also when a session goes on with other details or under a new token. */
  signIn(session: { token: string; user: User }): void;
  /** Forgets the session here even when the server cannot be told. */
  signOut(): Promise<void>;
}

const SessionContext = createContext<Session | null>(null);

function forget() {
  storage.token.clear();
  storage.user.clear();
}

/**
 * Somebody else may use the computer after a logout: what the account keeps, a payment under way included, goes from this
 * browser. The cart comes back at the next sign-in. A session that merely ended leaves it, as its owner is likely to return.
 */
function leaveCartBehind() {
  if (storage.payment.read()?.phase !== 'seen') storage.payment.clear();
  storage.guestCart.write(storage.guestCart.read().filter((entry) => entry.keptQuantity === undefined));
}

export function SessionProvider({ children }: { children: ReactNode }) {
  const token = useStored(storage.token);
  const user = useStored(storage.user);
  const [checkedToken, setCheckedToken] = useState<string | null>(null);
  const [whySignedOut, setWhySignedOut] = useState(NO_SESSION);
  const { show } = useToasts();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const problem = useMemo(() => (token === null ? null : problemOfToken(token, Date.now())), [token]);

  // The login screen leads back to where it interrupted.
  useEffect(
    () =>
      onSessionRefused(() => {
        setWhySignedOut(SESSION_EXPIRED);
        show({ type: 'warning', message: SESSION_EXPIRED });
        void navigate('/login', { state: { from: window.location.pathname } });
      }),
    [navigate, show],
  );

  useEffect(() => {
    if (problem === null) return;
    setWhySignedOut(problem);
    forget();
  }, [problem]);

  // Also runs when another tab signs in, out, or as somebody else.
  useEffect(() => {
    if (token === null || problem !== null || token === checkedToken) return;
    let stale = false;
    call('GET /auth/me').then(
      ({ data }) => {
        if (stale) return;
        storage.user.write(data);
        setCheckedToken(token);
      },
      () => {
        if (stale) return;
        setWhySignedOut(SESSION_EXPIRED);
        forget();
      },
    );
    return () => {
      stale = true;
    };
  }, [token, problem, checkedToken]);

  const signIn = useCallback<Session['signIn']>((session) => {
    setCheckedToken(session.token);
    setWhySignedOut(NO_SESSION);
    storage.user.write(session.user);
    storage.token.write(session.token);
  }, []);

  const signOut = useCallback(async () => {
    await withCartLock(async () => {
      const told = call('POST /auth/logout');
      forget();
      leaveCartBehind();
      await Promise.allSettled([told]);
    }, MOST_WAIT_FOR_CART_MS);
  }, []);

  // What one person loaded must not be shown to the next.
  const owner = user?._id;
  useEffect(() => () => queries.removeQueries({ queryKey: ['mine', owner] }), [owner, queries]);

  const value = useMemo<Session>(() => {
    const parts = { whySignedOut: problem ?? whySignedOut, signIn, signOut };
    if (token === null || problem !== null) return { status: 'signed-out', user: null, ...parts };
    return { status: token === checkedToken && user ? 'signed-in' : 'loading', user, ...parts };
  }, [token, problem, checkedToken, user, whySignedOut, signIn, signOut]);

  return <SessionContext value={value}>{children}</SessionContext>;
}

/** Who is signed in. Queries of a person's own data start their key with 'mine', so that they go with the session. */
export function useSession(): Session {
  const session = useContext(SessionContext);
  if (session === null) throw new Error('useSession needs a SessionProvider above it');
  return session;
}
