import { useQuery, useQueryClient } from '@tanstack/react-query';
import {
  createContext,
  Fragment,
  type ReactNode,
  useCallback,
  useContext,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { Navigate, useLocation, useNavigate } from 'react-router';
import type { User } from '../../shared/accounts.ts';
import { MINUTE_MS } from '../../shared/durations.ts';
import { NO_SESSION, SESSION_EXPIRED } from '../../shared/session-messages.ts';
import { call, onSessionRefused } from '../lib/api-client.ts';
import { guestCart, trackedPayment } from '../lib/cart-storage.ts';
import { problemOfToken } from '../lib/examine-token.ts';
import { isShopTimeKnown, shopNow } from '../lib/shop-clock.ts';
import { CONTACT_DRAFT, clearStored, forgetSession, storage, useStored } from '../lib/storage.ts';
import { useToasts } from './toasts.tsx';

// Let a pending cart sync finish, but delay logout by at most 1 s.
const MAX_CART_SYNC_WAIT_MS = 1000;

interface NewSession {
  token: string;
  user: User;
}

interface Session {
  /** `undecided`: the stored token has expired by the clock of this device, and the shop's time is not known yet. */
  status: 'undecided' | 'loading' | 'signed-in' | 'signed-out';
  user: User | null;
  /** The message for a visitor who opens a screen that needs a session. */
  whySignedOut: string;
  signIn(session: NewSession): void;
  /**
   * Returns a function that stores new details and the new token of the current session. Get the function before making
   * the call that returns them: after a logout meanwhile it does nothing, so a late response does not sign in again.
   */
  renewal(): Session['signIn'];
  /** Whether a logout waits for a cart sync. */
  isSigningOut: boolean;
  /** Ends the session in this browser even if the server cannot be reached. */
  signOut(): Promise<void>;
}

const SessionContext = createContext<Session | null>(null);

/**
 * Removes the cart lines that are stored in the account, the tracked payment, and the details typed at the checkout,
 * because another person may use the computer after a logout. The next login restores the cart. An expired session keeps
 * all three, because its owner is likely to return.
 */
function clearAccountData() {
  clearStored(CONTACT_DRAFT);
  const payment = trackedPayment.read();
  if (payment?.phase !== 'seen') trackedPayment.clear();
  // A payment that was finished while its page was closed has the path of a guest's, and the empty checkout would name it.
  else trackedPayment.write({ ...payment, path: '/orders' });
  guestCart.write(guestCart.read().filter((line) => line.syncedQuantity === undefined));
}

/** Why the stored token is no session, or null. Only the shop's time counts, as this device's clock may be wrong. */
function useProblemOf(token: string | null): { problem: string | null; isUndecided: boolean } {
  const [isTimeAsked, setTimeAsked] = useState(false);
  const { problem, isUndecided } = useMemo(() => {
    const problem = token === null ? null : problemOfToken(token, shopNow().getTime());
    const isUndecided = problem === SESSION_EXPIRED && !isTimeAsked && !isShopTimeKnown();
    return { problem: isUndecided ? null : problem, isUndecided };
  }, [token, isTimeAsked]);
  useEffect(() => {
    const decide = () => setTimeAsked(true);
    if (isUndecided) call('GET /shop').then(decide, decide);
  }, [isUndecided]);
  return { problem, isUndecided };
}

/** To read the user of the session again, invalidate ['session']. */
const sessionKey = (token: string | null) => ['session', token];

/** The user of the session as the server knows it, which is also stored. */
function useCheckedUser(token: string | null, enabled: boolean) {
  const queries = useQueryClient();
  // The query also runs when another tab signs in, or signs in to another account.
  const query = useQuery({
    queryKey: sessionKey(token),
    queryFn: async () => (await call('GET /auth/me')).data,
    enabled,
    staleTime: Number.POSITIVE_INFINITY,
    // The mailed link may be opened on another device, also while this tab stays in view.
    refetchOnWindowFocus: ({ state }) => state.data?.emailVerified === false && 'always',
    refetchInterval: ({ state }) => state.data?.emailVerified === false && MINUTE_MS,
    gcTime: 0,
  });
  const checkedUser = query.data;
  const checkedBefore = useRef<User>(undefined);
  useEffect(() => {
    if (!checkedUser) return;
    storage.user.write(checkedUser);
    const before = checkedBefore.current;
    checkedBefore.current = checkedUser;
    // A verified e-mail gives access to the orders placed with it.
    if (before?._id === checkedUser._id && before.emailVerified !== checkedUser.emailVerified) {
      void queries.invalidateQueries({ queryKey: ['mine', checkedUser._id] });
    }
  }, [checkedUser, queries]);
  return query;
}

export function SessionProvider({ children }: { children: ReactNode }) {
  const token = useStored(storage.token);
  const user = useStored(storage.user);
  const [whySignedOut, setWhySignedOut] = useState(NO_SESSION);
  const [isSigningOut, setIsSigningOut] = useState(false);
  const { show } = useToasts();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const { problem, isUndecided } = useProblemOf(token);
  const isChecked = token !== null && problem === null && !isUndecided;
  const { data: checkedUser, isLoadingError } = useCheckedUser(token, isChecked);
  const whyEnded = problem ?? (isLoadingError ? SESSION_EXPIRED : null);

  // The login screen leads back to the interrupted screen.
  useEffect(
    () =>
      onSessionRefused(() => {
        setWhySignedOut(SESSION_EXPIRED);
        show({ type: 'warning', message: SESSION_EXPIRED });
        const { pathname, search } = window.location;
        void navigate('/login', { state: { from: pathname + search } });
      }),
    [navigate, show],
  );

  useEffect(() => {
    // A user's details must not stay in a browser where nobody is signed in.
    if (storage.token.read() === null) storage.user.clear();
    if (whyEnded === null) return;
    setWhySignedOut(whyEnded);
    forgetSession();
  }, [whyEnded]);

  const signIn = useCallback<Session['signIn']>(
    (session) => {
      queries.setQueryData(sessionKey(session.token), session.user);
      setWhySignedOut(NO_SESSION);
      storage.user.write(session.user);
      storage.token.write(session.token);
    },
    [queries],
  );

  const renewal = useCallback(() => {
    const before = storage.token.read();
    return (session: NewSession) => {
      if (storage.token.read() === before) signIn(session);
    };
  }, [signIn]);

  const signOut = useCallback(async () => {
    setIsSigningOut(true);
    await withCartLock(async () => {
      setIsSigningOut(false);
      // After a second click, or a logout in another tab, the session has already ended.
      const loggedOut = storage.token.read() !== null && call('POST /auth/logout');
      forgetSession();
      clearAccountData();
      await Promise.allSettled([loggedOut]);
    }, MAX_CART_SYNC_WAIT_MS);
  }, []);

  // Data that one person loaded must not be shown to the next.
  const owner = user?._id;
  useEffect(
    () => () => {
      queries.removeQueries({ queryKey: ['mine', owner] });
      // The query that a login has just filled is inactive until the screens have its token.
      const isEnded = ({ queryKey: [, of] }: { queryKey: readonly unknown[] }) => of !== storage.token.read();
      queries.removeQueries({ queryKey: ['session'], type: 'inactive', predicate: isEnded });
    },
    [owner, queries],
  );

  const value = useMemo<Session>(() => {
    const parts = { whySignedOut: problem ?? whySignedOut, signIn, renewal, isSigningOut, signOut };
    if (token === null || problem !== null) return { status: 'signed-out', user: null, ...parts };
    if (isUndecided) return { status: 'undecided', user, ...parts };
    return { status: checkedUser && user ? 'signed-in' : 'loading', user, ...parts };
  }, [token, problem, isUndecided, checkedUser, user, whySignedOut, signIn, renewal, isSigningOut, signOut]);

  return <SessionContext value={value}>{children}</SessionContext>;
}

/** The current session. Keys of queries for a person's own data start with 'mine', so that they are removed with it. */
export function useSession(): Session {
  const session = useContext(SessionContext);
  if (session === null) throw new Error('useSession needs a SessionProvider above it');
  return session;
}

/**
 * Runs `work` while no other tab syncs the cart with the account; after `timeoutMs` runs it regardless. Browsers
 * provide locks only on secure origins; elsewhere `work` runs at once.
 */
export async function withCartLock(work: () => Promise<void>, timeoutMs?: number): Promise<void> {
  if (!('locks' in navigator)) return work();
  const options = timeoutMs === undefined ? {} : { signal: AbortSignal.timeout(timeoutMs) };
  let hasBegun = false;
  const locked = navigator.locks.request('cart', options, () => {
    hasBegun = true;
    return work();
  });
  const [{ status }] = await Promise.allSettled([locked]);
  if (status === 'rejected' && !hasBegun) await work();
}

/** A screen for signed-in users. Other visitors get a message and the login screen, which leads back. */
export function RequireSession({ children }: { children: ReactNode }) {
  const { status } = useSession();
  return status !== 'undecided' && <DecidedSession>{children}</DecidedSession>;
}

function DecidedSession({ children }: { children: ReactNode }) {
  const { status, user, whySignedOut } = useSession();
  const { pathname, search } = useLocation();
  // If a session ends while the screen is open, its message was already shown; a logout needs no message.
  const [cameSignedOut] = useState(status === 'signed-out');
  useNotice(cameSignedOut ? whySignedOut : null);
  // A form that one user has filled in must not be sent by the next, who may sign in in another tab.
  if (status !== 'signed-out') return <Fragment key={user?._id}>{children}</Fragment>;
  const comesBack = cameSignedOut || whySignedOut !== NO_SESSION;
  return <Navigate to="/login" replace state={comesBack ? { from: pathname + search } : null} />;
}

export function useNotice(message: string | null) {
  const { show } = useToasts();
  useEffect(() => {
    if (message !== null) show({ type: 'warning', message });
  }, [message, show]);
}
