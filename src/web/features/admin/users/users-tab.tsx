import { Users } from 'lucide-react';
import type { AdminUser } from '../../../../shared/admin.ts';
import { MOST_COUNTED } from '../../../../shared/paging.ts';
import { Button } from '../../../ui/button.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { Field } from '../../../ui/field.tsx';
import { Skeleton } from '../../../ui/skeleton.tsx';
import { formatCount } from '../figures.ts';
import { useSearch } from '../use-search.ts';
import { useSearchedList } from '../use-searched-list.ts';
import { UserCard } from './user-card.tsx';

const searched = ({ name, email }: AdminUser) => [name, email];

const countOf = (total: number) =>
  `${formatCount(total)}${total === MOST_COUNTED ? '+' : ''} users registered`;

export function UsersTab() {
  const search = useSearch();
  const list = useSearchedList('listUsers', {}, search, searched);
  const term = search.typed.trim();
  return (
    <div className="grid grid-cols-1 gap-5">
      <div className="grid gap-0.5">
        <h2 className="text-xl">User Management</h2>
        <p role="status" className="tabular text-muted">
          {list.isLoading ? 'Loading users' : countOf(list.total)}
        </p>
      </div>
      <search>
        <Field
          label="Search users"
          type="search"
          placeholder="Name or email"
          maxLength={100}
          value={search.typed}
          onChange={({ target }) => search.type(target.value)}
        />
      </search>
      {list.isLoading && <Skeleton className="h-96" />}
      {list.hasFailed && (
        <EmptyState
          icon={Users}
          heading="h3"
          title="Failed to load users"
          action={<Button onClick={list.retry}>Try again</Button>}
        />
      )}
      {list.entries.length > 0 && (
        <ul
          aria-label="Users"
          aria-busy={list.isRefreshing}
          className="grid grid-cols-[repeat(auto-fill,minmax(min(20rem,100%),1fr))] gap-4"
        >
          {list.entries.map((user) => (
            <li key={user._id} className="grid">
              <UserCard user={user} />
            </li>
          ))}
        </ul>
      )}
      {list.entries.length === 0 && !list.isLoading && !list.isRefreshing && !list.hasFailed && (
        <EmptyState icon={Users} heading="h3" title="No users found">
          <p className="wrap-anywhere">
            {term === '' ? 'Users will appear here once they register' : `No results for "${term}"`}
          </p>
        </EmptyState>
      )}
      {list.hasMore && (
        <Button
          variant="secondary"
          className="justify-self-center"
          loading={list.isLoadingMore}
          onClick={list.loadMore}
        >
          Load more
        </Button>
      )}
    </div>
  );
}
