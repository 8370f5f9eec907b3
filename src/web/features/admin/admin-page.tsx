import { type UseQueryResult, useQueryClient } from '@tanstack/react-query';
import { ArrowLeft, CircleAlert, type LucideIcon } from 'lucide-react';
import { type ReactNode, useEffect } from 'react';
import { useNavigate } from 'react-router';
import { CallError, messageOf } from '../../lib/api-client.ts';
import { useTitle } from '../../lib/page.ts';
import { RequireAdmin } from '../../state/require-session.tsx';
import { useShop } from '../../state/shop.ts';
import { Button, ButtonLink, IconLink, Spinner } from '../../ui/button.tsx';
import { EmptyState, Skeleton } from '../../ui/card.tsx';
import { ADMIN } from './admin-queries.ts';
import { type DashboardTab, useListPath } from './dashboard-url.ts';

interface AdminPageProps {
  title: string;
  tab?: DashboardTab;
  children: ReactNode;
}

export function AdminPage({ title, tab, children }: AdminPageProps) {
  const list = useListPath(tab);
  useTitle(title);
  return (
    <AdminGuard>
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

export const BackLink = (link: { to: string; label: string }) => (
  <IconLink {...link} icon={ArrowLeft} iconClass="size-5.5" className="-ml-2.5" />
);

/** Renders only for administrators. A query that is refused with 403 leads to the home page (docs/conformance.md). */
export function AdminGuard({ children }: { children: ReactNode }) {
  return (
    <RequireAdmin verifying={(check) => <Verifying check={check} />}>
      <HomeWhenRefused />
      <ReadOnlyNotice />
      {children}
    </RequireAdmin>
  );
}

function Verifying({ check }: { check: UseQueryResult }) {
  if (!check.isError) return <Waiting>Verifying admin access...</Waiting>;
  const again = <Button onClick={() => void check.refetch()}>Try again</Button>;
  return (
    <div role="alert">
      <EmptyState icon={CircleAlert} heading="h1" title="Admin access could not be verified" action={again}>
        {messageOf(check.error, '')}
      </EmptyState>
    </div>
  );
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

/** Says in a public demo, before anybody fills in a form, that the server refuses every change. */
function ReadOnlyNotice() {
  if (!useShop()?.publicDemo) return null;
  return (
    <div className="mx-auto w-full max-w-page px-4 pt-6 sm:px-6">
      <p className="rounded-md bg-info-soft px-4 py-3 text-info">
        The dashboard of this public demo is read-only: look at everything, but forms and buttons that change something
        are refused.
      </p>
    </div>
  );
}

export function Waiting({ children }: { children: ReactNode }) {
  return (
    <div role="status" className="flex items-center justify-center gap-3 px-4 py-24 text-muted">
      <Spinner className="size-6 text-accent" />
      <h1 className="font-sans text-base font-normal tracking-normal">{children}</h1>
    </div>
  );
}

const tabOf = { order: 'orders', 'problem report': 'problem-reports', product: 'physical', user: 'users' } as const;

interface QueryStateProps<T> {
  what: keyof typeof tabOf;
  /** Shown if the entry was not found. */
  icon: LucideIcon;
  query: UseQueryResult<T>;
  children(data: T): ReactNode;
}

/** Renders the data of a query, or says that it is loading, not found or failed. */
export function QueryState<T>({ what, icon, query, children }: QueryStateProps<T>) {
  const { data, error, isFetching, refetch } = query;
  const list = useListPath(tabOf[what]);
  if (data) return children(data);
  const name = what.replace(/^./, (initial) => initial.toUpperCase());
  // 400: the id in the URL is malformed.
  if (error instanceof CallError && (error.status === 404 || error.status === 400)) {
    const back = <ButtonLink to={list}>Back to {name}s</ButtonLink>;
    return (
      <EmptyState icon={icon} title={`${name} not found`} action={back}>
        There is no {what} at this address.
      </EmptyState>
    );
  }
  if (error) {
    const again = (
      <Button loading={isFetching} onClick={() => void refetch()}>
        Try again
      </Button>
    );
    return (
      <div role="alert">
        <EmptyState icon={CircleAlert} title={`Failed to load the ${what}`} action={again}>
          {messageOf(error, '')}
        </EmptyState>
      </div>
    );
  }
  return (
    <div role="status" className="grid gap-6">
      <span className="sr-only">Loading the {what}</span>
      <Skeleton className="h-28" />
      <Skeleton className="h-96" />
    </div>
  );
}

/** A banner that says what failed to load, above the data that did load. */
export function ProblemBanner(props: { message: string; onRetry(): void; isRetrying: boolean }) {
  const { message, onRetry, isRetrying } = props;
  return (
    <div
      role="alert"
      className="flex flex-wrap items-center justify-between gap-3 rounded-md bg-danger-soft px-4 py-3 text-danger">
      <p className="flex items-center gap-3 font-semibold">
        <CircleAlert aria-hidden className="size-5 shrink-0" />
        {message}
      </p>
      <Button variant="danger" size="sm" loading={isRetrying} onClick={onRetry}>
        Try again
      </Button>
    </div>
  );
}
