import { CircleAlert, UserX } from 'lucide-react';
import { Link, useLocation, useParams } from 'react-router';
import { CallError, call, messageOf } from '../../../lib/api-client.ts';
import { Button, buttonClass } from '../../../ui/button.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { Skeleton } from '../../../ui/skeleton.tsx';
import { AdminPage } from '../admin-page.tsx';
import { useAdminData } from '../admin-queries.ts';
import { UserDetails } from './user-details.tsx';

export function AdminUserScreen() {
  const { id = '' } = useParams();
  const { state } = useLocation();
  // The list as it was searched when the user was gone to.
  const list = `/admin${(state as { from?: string } | null)?.from ?? '?tab=users'}`;
  return (
    <AdminPage title="User" back={list}>
      <AdminUser key={id} id={id} list={list} />
    </AdminPage>
  );
}

function AdminUser({ id, list }: { id: string; list: string }) {
  const { data, error, isFetching, refetch } = useAdminData(
    ['user', id],
    async () => (await call('getUser', { params: { id } })).data,
  );
  if (data) return <UserDetails user={data} />;
  // What is no id cannot be one of a user.
  if (error instanceof CallError && (error.status === 404 || error.status === 400)) {
    return (
      <EmptyState
        icon={UserX}
        title="User not found"
        action={
          <Link to={list} className={buttonClass()}>
            Back to Users
          </Link>
        }
      >
        There is no user at this address.
      </EmptyState>
    );
  }
  if (error) {
    return (
      <div role="alert">
        <EmptyState
          icon={CircleAlert}
          title="Failed to load the user"
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
      <span className="sr-only">Loading the user</span>
      <Skeleton className="h-40" />
      <Skeleton className="h-96" />
    </div>
  );
}
