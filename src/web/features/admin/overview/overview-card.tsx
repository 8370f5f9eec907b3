import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Button } from '../../../ui/button.tsx';
import { Card, Skeleton } from '../../../ui/card.tsx';
import { classNames } from '../../../ui/class-names.ts';

interface OverviewCardProps {
  title: string;
  /** At the end of the title line. */
  beside?: ReactNode;
  className?: string | undefined;
  children: ReactNode;
}

export function OverviewCard({ title, beside, className, children }: OverviewCardProps) {
  return (
    <Card role="region" aria-label={title} className={classNames('grid content-start gap-4 p-5', className)}>
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <h3 className="text-lg">{title}</h3>
        {beside}
      </div>
      {children}
    </Card>
  );
}

type Answer<T> = Pick<UseQueryResult<T>, 'data' | 'isError' | 'isFetching' | 'refetch'>;

/** The result of a query, a skeleton while it loads, or a button to try again after a failure. */
export function CardQuery<T>({ query, children }: { query: Answer<T>; children(data: T): ReactNode }) {
  const { data, isError, isFetching, refetch } = query;
  if (data !== undefined) return children(data);
  if (!isError) return <Skeleton className="h-64" />;
  return (
    <div className="grid justify-items-start gap-3 text-muted">
      <p>This could not be loaded.</p>
      <Button variant="secondary" size="sm" loading={isFetching} onClick={() => void refetch()}>
        Try again
      </Button>
    </div>
  );
}
