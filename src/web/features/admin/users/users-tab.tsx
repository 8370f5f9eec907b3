import { Users } from 'lucide-react';
import type { AdminUser } from '../../../../shared/admin.ts';
import { SearchedList } from '../searched-list.tsx';
import { useSearchedList } from '../use-searched-list.ts';
import { useSearch } from '../use-typed-filters.ts';
import { UserCard } from './user-card.tsx';

const searched = ({ name, email }: AdminUser) => [name, email];

export function UsersTab() {
  const search = useSearch();
  const list = useSearchedList('GET /admin/users', {}, search, searched);
  return (
    <div className="grid grid-cols-1 gap-5">
      <div className="grid gap-0.5">
        <h2 className="text-xl">User Management</h2>
        <p role="status" className="tabular text-muted">
          {list.isLoading ? 'Loading users' : `${list.total} users registered`}
        </p>
      </div>
      <SearchedList
        search={search}
        list={list}
        of="users"
        placeholder="Name or email"
        icon={Users}
        whenEmpty="Users will appear here once they register"
      >
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
      </SearchedList>
    </div>
  );
}
