import { type UseQueryResult, useQueryClient } from '@tanstack/react-query';
import { ArrowLeft, type LucideIcon } from 'lucide-react';
import { type ReactNode, useEffect } from 'react';
import { Navigate, useNavigate, useParams } from 'react-router';
import { MINUTE_MS } from '../../../shared/durations.ts';
import { CallError, call, messageOf } from '../../lib/api-client.ts';
import { useTitle } from '../../lib/page.ts';
import { useMine } from '../../state/account-status.ts';
import { isNotFound } from '../../state/answers.ts';
import { RequireSession, useNotice } from '../../state/session.tsx';
import { useShop } from '../../state/shop.ts';
import { ButtonLink, IconLink, Spinner } from '../../ui/button.tsx';
import { Callout, classNames, EmptyState, Skeleton } from '../../ui/display.tsx';
import { LoadFailure, Loading } from '../../ui/loading.tsx';
import { ADMIN, type DashboardTab, useListPath } from './dashboard.ts';

export function AdminPage({ title, tab, children }: { title: string; tab?: DashboardTab; children: ReactNode }) {
  const list = useListPath(tab);
  return (
    <AdminGuard>
      <TabTitle>{title}</TabTitle>
      <div className="mx-auto grid w-full max-w-page grid-cols-1 gap-6 px-4 py-8 sm:px-6">
        <div className="flex items-center gap-3">
          <BackLink to={list} label="Back to the dashboard" />
          <h1 className="min-w-0 text-2xl wrap-anywhere">{title}</h1>
        </div>
        {children}
      </div>
    </AdminGuard>
  );
}

/** Comes before the page's content, whose own title replaces this one. */
function TabTitle({ children }: { children: string }) {
  useTitle(children);
  return null;
}

export const BackLink = (link: { to: string; label: string }) => (
  <IconLink {...link} icon={ArrowLeft} iconClass="size-5.5" className="-ml-2.5" />
);

const tabOf = { order: 'orders', 'problem report': 'problem-reports', product: 'physical', user: 'users' } as const;

interface EntryPageProps<T> {
  what: keyof typeof tabOf;
  icon: LucideIcon;
  /** Reads the entry with this id. */
  useEntry(id: string): UseQueryResult<T>;
  /** The heading of the page, if it is not `what`. */
  heading?(id: string): string;
  /** The title of the browser's tab. */
  titleOf(data: T): string;
  children(data: T): ReactNode;
}

/** The page of the entry whose id is in the path. */
export function EntryPage<T>({ heading, ...entry }: EntryPageProps<T>) {
  const { id = '' } = useParams();
  return (
    <AdminPage title={heading?.(id) ?? wordsOf(entry.what)} tab={tabOf[entry.what]}>
      <Entry key={id} id={id} {...entry} />
    </AdminPage>
  );
}

function Entry<T>({ id, what, icon, useEntry, titleOf, children }: EntryPageProps<T> & { id: string }) {
  const query = useEntry(id);
  const { data, error } = query;
  const list = useListPath(tabOf[what]);
  const name = wordsOf(what);
  useTitle(data ? titleOf(data) : name);
  if (data) return children(data);
  if (isNotFound(error)) {
    const back = <ButtonLink to={list}>Back to {name}s</ButtonLink>;
    return (
      <EmptyState icon={icon} title={`${name} not found`} action={back}>
        There is no {what} at this address.
      </EmptyState>
    );
  }
  if (error) return <LoadFailure title={`Failed to load the ${what}`} text={messageOf(error, '')} query={query} />;
  return (
    <Loading label={`Loading the ${what}`}>
      <Skeleton className="h-28" />
      <Skeleton className="h-96" />
    </Loading>
  );
}

const CHECK_EVERY_MS = 5 * MINUTE_MS;
const ACCESS_DENIED = 'Access denied. Administrator privileges required.';

/** Renders only for administrators. A query that is refused with 403 leads to the home page (docs/conformance.md). */
export function AdminGuard({ children }: { children: ReactNode }) {
  return (
    <RequireSession>
      <RequireRole>
        <HomeWhenRefused />
        <ReadOnlyNotice />
        {children}
      </RequireRole>
    </RequireSession>
  );
}

function RequireRole({ children }: { children: ReactNode }) {
  const check = useMine(['role'], () => call('GET /auth/me'), {
    gcTime: 0,
    refetchInterval: CHECK_EVERY_MS,
    refetchIntervalInBackground: true,
  });
  const isDenied = check.data !== undefined && check.data.role !== 'admin';
  useNotice(isDenied ? ACCESS_DENIED : null);
  if (isDenied) return <Navigate to="/" replace />;
  if (check.data !== undefined) return children;
  if (!check.isError) return <Waiting>Verifying admin access...</Waiting>;
  const text = messageOf(check.error, '');
  return <LoadFailure heading="h1" title="Admin access could not be verified" text={text} query={check} />;
}

function HomeWhenRefused() {
  const client = useQueryClient();
  const navigate = useNavigate();
  useEffect(
    () =>
      client.getQueryCache().subscribe((event) => {
        if (event.type !== 'updated' || event.action.type !== 'error' || event.query.queryKey[0] !== ADMIN) return;
        const { error } = event.action;
        if (error instanceof CallError && error.status === 403) void navigate('/', { replace: true });
      }),
    [client, navigate],
  );
  return null;
}

/** In a public demo, tells visitors before they fill in a form that the server rejects every change. */
function ReadOnlyNotice() {
  if (!useShop()?.publicDemo) return null;
  return (
    <div className="mx-auto w-full max-w-page px-4 pt-6 sm:px-6">
      <Callout tone="info">
        The dashboard of this public demo is read-only: look at everything, but forms and buttons that change something
        are refused.
      </Callout>
    </div>
  );
}

export function Waiting({ children }: { children: ReactNode }) {
  return (
    <div role="status" className="flex items-center justify-center gap-3 px-4 py-24 text-muted">
      <Spinner className="size-6 text-accent" />
      <h1 className="text-base font-normal tracking-normal">{children}</h1>
    </div>
  );
}

/** Shows values by label; empty values are left out. */
export const Facts = ({ facts, className }: { facts: Record<string, ReactNode>; className?: string }) => (
  <dl className={classNames('grid gap-3 text-sm', className)}>
    {Object.entries(facts).map(
      ([label, value]) =>
        value && (
          <div key={label} className="grid min-w-0 content-start gap-0.5">
            <dt className="text-muted">{label}</dt>
            <dd className="font-medium wrap-anywhere">{value}</dd>
          </div>
        ),
    )}
  </dl>
);

/** Turns a name into words, e.g. `order-delivered` into `Order delivered`. */
export function wordsOf(name: string): string {
  const words = name.replaceAll(/[.\-_]/g, ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
