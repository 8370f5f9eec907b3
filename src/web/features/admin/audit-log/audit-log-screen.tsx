import { ScrollText } from 'lucide-react';
import { day, MOST_COUNTED } from '../../../../shared/paging.ts';
import { messageOf } from '../../../lib/api-client.ts';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { Field } from '../../../ui/field.tsx';
import { Skeleton } from '../../../ui/skeleton.tsx';
import { AdminPage } from '../admin-page.tsx';
import { useAdminList } from '../admin-queries.ts';
import { useDashboardUrl } from '../dashboard-url.ts';
import { formatCount } from '../figures.ts';
import { useSearch } from '../use-search.ts';
import { AuditEntryRow } from './audit-entry-row.tsx';

export function AuditLogScreen() {
  return (
    <AdminPage title="Audit Log">
      <AuditLog />
    </AdminPage>
  );
}

function AuditLog() {
  const filters = useFilters();
  const list = useAdminList('listAuditLog', filters.query);
  const entries = list.data?.pages.flatMap(({ data }) => data) ?? [];
  return (
    <div className="grid grid-cols-1 gap-5">
      <p className="text-muted">
        Who did what, when and from where. Nothing in it can be changed unseen: npm run audit:verify follows
        its chain.
      </p>
      <FilterBar filters={filters} />
      <p role="status" className="tabular text-sm text-muted">
        {list.isPending ? 'Loading entries' : countOf(list.data?.pages.at(-1)?.total ?? 0)}
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
      {list.hasNextPage && (
        <Button
          variant="secondary"
          className="justify-self-center"
          loading={list.isFetchingNextPage}
          onClick={() => void list.fetchNextPage()}
        >
          Load more
        </Button>
      )}
    </div>
  );
}

function countOf(total: number): string {
  if (total === MOST_COUNTED) return `${formatCount(total)} entries or more`;
  return total === 1 ? '1 entry' : `${formatCount(total)} entries`;
}

type Filters = ReturnType<typeof useFilters>;

/** They stand in the address, so that what was found can be shown to a colleague. */
function useFilters() {
  const { typed, search, type, clear } = useSearch();
  const { get, set } = useDashboardUrl();
  const [from, to] = [get('from'), get('to')].map((text) => (day.safeParse(text).success ? text : ''));
  return {
    typed,
    type,
    from: from ?? '',
    to: to ?? '',
    setDays: (days: { from?: string; to?: string }) => set(days),
    query: { ...(search && { q: search }), ...(from && { from }), ...(to && { to }) },
    isNarrowed: Boolean(typed || from || to),
    clear() {
      clear();
      set({ q: '', from: '', to: '' });
    },
  };
}

function FilterBar({ filters: { typed, type, from, to, setDays } }: { filters: Filters }) {
  return (
    <search className="grid grid-cols-2 gap-4 lg:grid-cols-[minmax(0,1fr)_11rem_11rem]">
      <div className="max-lg:col-span-2">
        <Field
          label="Search the audit log"
          type="search"
          placeholder="Who, what or to what"
          maxLength={100}
          value={typed}
          onChange={({ target }) => type(target.value)}
        />
      </div>
      <Field
        label="From"
        type="date"
        max={to}
        value={from}
        onChange={({ target }) => setDays({ from: target.value })}
      />
      <Field
        label="To"
        type="date"
        min={from}
        value={to}
        onChange={({ target }) => setDays({ to: target.value })}
      />
    </search>
  );
}
