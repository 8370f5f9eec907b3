import { ScrollText } from 'lucide-react';
import { formatTotal } from '../../../../shared/figures.ts';
import type { Counted } from '../../../../shared/paging.ts';
import { messageOf } from '../../../lib/api-client.ts';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { Skeleton } from '../../../ui/skeleton.tsx';
import { AdminPage } from '../admin-page.tsx';
import { useAdminList } from '../admin-queries.ts';
import { FilterBar } from '../filter-bar.tsx';
import { LoadMore } from '../load-more.tsx';
import { useTypedFilters } from '../use-typed-filters.ts';
import { AuditEntryRow } from './audit-entry-row.tsx';

export function AuditLogScreen() {
  return (
    <AdminPage title="Audit Log">
      <AuditLog />
    </AdminPage>
  );
}

function AuditLog() {
  const filters = useTypedFilters();
  const list = useAdminList('GET /admin/audit-log', filters.query);
  const entries = list.data?.pages.flatMap(({ data }) => data) ?? [];
  return (
    <div className="grid grid-cols-1 gap-5">
      <p className="text-muted">
        Who did what, when and from where. Nothing in it can be changed unseen:{' '}
        <code className="font-mono text-sm">npm run audit:verify</code> follows its chain.
      </p>
      <FilterBar filters={filters} label="Search the audit log" placeholder="Who, what or to what" />
      <p role="status" className="tabular text-sm text-muted">
        {list.isPending
          ? 'Loading entries'
          : countOf(list.data?.pages.at(-1) ?? { total: 0, hasUncounted: false })}
      </p>
      {list.isPending && <Skeleton className="h-96" />}
      {list.isLoadingError && (
        <EmptyState
          icon={ScrollText}
          title={messageOf(list.error, 'Failed to load the audit log')}
          action={
            <Button loading={list.isFetching} onClick={() => void list.refetch()}>
              Try again
            </Button>
          }
        />
      )}
      {entries.length > 0 && (
        <Card aria-busy={list.isPlaceholderData}>
          <ul aria-label="Entries" className="divide-y divide-line">
            {entries.map((entry) => (
              <li key={entry._id}>
                <AuditEntryRow entry={entry} />
              </li>
            ))}
          </ul>
        </Card>
      )}
      {list.isSuccess && entries.length === 0 && (
        <EmptyState
          icon={ScrollText}
          title="No entries found"
          action={
            filters.isNarrowed && (
              <Button variant="secondary" onClick={filters.clear}>
                Clear filters
              </Button>
            )
          }
        >
          {filters.isNarrowed
            ? 'Nothing on record matches this search'
            : 'What administrators do will appear here'}
        </EmptyState>
      )}
      <LoadMore
        hasMore={list.hasNextPage}
        isLoading={list.isFetchingNextPage}
        onLoad={() => void list.fetchNextPage()}
      />
    </div>
  );
}

const countOf = (counted: Counted) => (counted.total === 1 ? '1 entry' : `${formatTotal(counted)} entries`);
