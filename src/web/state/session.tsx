import { useQueryClient } from '@tanstack/react-query';
import { createContext, type ReactNode, useCallback, useContext, useEffect, useMemo, useState } from 'react';
import { useNavigate } from 'react-router';
import type { User } from '../../shared/accounts.ts';
import { call, onSessionRefused } from '../lib/api-client.ts';
import { storage } from '../lib/storage.ts';
import { useStored } from '../lib/use-stored.ts';

interface Session {
  status: 'loading' | 'signed-in' | 'signed-out';
  user: User | null;
  signIn(session: { token: string; user: User }): void;
  /** Forgets the session here even when the server cannot be told. */
  signOut(): Promise<void>;
}

const SessionContext = createContext<Session | null>(null);

function forget() {
  storage.token.clear();
  storage.user.clear();
}

export function SessionProvider({ children }: { children: ReactNode }) {
  const token = useStored(storage.token);
  const user = useStored(storage.user);
  const [checkedToken, setCheckedToken] = useState<string | null>(null);
  const navigate = useNavigate();
  const queries = useQueryClient();

  // The login screen leads back to where it interrupted.
  useEffect(
    () => onSessionRefused(() => navigate('/login', { state: { from: window.location.pathname } })),
    [navigate],
  );

  // Also runs when another tab signs in, out, or as somebody else.
  useEffect(() => {
    if (token === null || token === checkedToken) return;
    let stale = false;
    call('getMe').then(
      ({ data }) => {
        if (stale) return;
        storage.user.write(data);
        setCheckedToken(token);
      },
      () => {
        if (!stale) forget();
      },
    );
    return () => {
      stale = true;
    };
  }, [token, checkedToken]);

  const signIn = useCallback<Session['signIn']>((session) => {
    setCheckedToken(session.token);
    storage.user.write(session.user);
    storage.token.write(session.token);
  }, []);

  const signOut = useCallback(async () => {
    await Promise.allSettled([call('logout')]);
    forget();
  }, []);

  // What one person loaded must not be shown to the next.
  useEffect(() => () => queries.removeQueries({ queryKey: ['mine'] }), [token, queries]);

  const value = useMemo<Session>(() => {
    if (token === null) return { status: 'signed-out', user: null, signIn, signOut };
    return { status: token === checkedToken && user ? 'signed-in' : 'loading', user, signIn, signOut };
  }, [token, checkedToken, user, signIn, signOut]);

  return <SessionContext value={value}>{children}</SessionContext>;
}

/** Who is signed in. Queries of a person's own data start their key with 'mine', so that they go with the session. */
export function useSession(): Session {
  const session = useContext(SessionContext);
  if (session === null) throw new Error('useSession needs a SessionProvider above it');
  return session;
}
