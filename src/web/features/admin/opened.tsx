import type { UseQueryResult } from '@tanstack/react-query';
import { CircleAlert, type LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { CallError, messageOf } from '../../lib/api-client.ts';
import { Button, buttonClass } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';

interface OpenedProps<T> {
  /** What it is, in words. */
  what: 'order' | 'user';
  /** For one that is not there. */
  icon: LucideIcon;
  read: Pick<UseQueryResult<T>, 'data' | 'error' | 'isFetching' | 'refetch'>;
  /** The address of the list it is one of. */
  list: string;
  children(data: T): ReactNode;
}

/** What a page was opened for, or why it is not to be seen. */
export function Opened<T>({ what, icon, read, list, children }: OpenedProps<T>) {
  const { data, error, isFetching, refetch } = read;
  if (data) return children(data);
  const name = what === 'order' ? 'Order' : 'User';
  // What is no id cannot be one of an order or a user.
  if (error instanceof CallError && (error.status === 404 || error.status === 400)) {
    return (
      <EmptyState
        icon={icon}
        title={`${name} not found`}
        action={
          <Link to={list} className={buttonClass()}>
            Back to {name}s
          </Link>
        }
      >
        There is no {what} at this address.
      </EmptyState>
    );
  }
  if (error) {
    return (
      <div role="alert">
        <EmptyState
          icon={CircleAlert}
          title={`Failed to load the ${what}`}
          action={
            <Button loading={isFetching} onClick={() => void refetch()}>
              Try again
            </Button>
          }
        >
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
