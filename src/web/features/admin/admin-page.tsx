import type { UseQueryResult } from '@tanstack/react-query';
import { ArrowLeft, type LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { messageOf } from '../../lib/api-client.ts';
import { isNotFound } from '../../lib/failures.ts';
import { useTitle } from '../../lib/page.ts';
import { ButtonLink, IconLink } from '../../ui/button.tsx';
import { EmptyState, Skeleton } from '../../ui/card.tsx';
import { LoadFailure, Loading } from '../../ui/loading.tsx';
import { AdminGuard } from './admin-guard.tsx';
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
  const { data, error } = query;
  const list = useListPath(tabOf[what]);
  if (data) return children(data);
  const name = what.replace(/^./, (initial) => initial.toUpperCase());
  if (isNotFound(error)) {
    const back = <ButtonLink to={list}>Back to {name}s</ButtonLink>;
    return (
      <EmptyState icon={icon} title={`${name} not found`} action={back}>
        There is no {what} at this address.
      </EmptyState>
    );
  }
  if (error) {
    return (
      <LoadFailure title={`Failed to load the ${what}`} query={query}>
        {messageOf(error, '')}
      </LoadFailure>
    );
  }
  return (
    <Loading label={`Loading the ${what}`}>
      <Skeleton className="h-28" />
      <Skeleton className="h-96" />
    </Loading>
  );
}
