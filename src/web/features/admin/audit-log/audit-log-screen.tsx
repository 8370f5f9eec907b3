import { ScrollText } from 'lucide-react';
import { Link } from 'react-router';
import type { AuditEntry } from '../../../../shared/admin.ts';
import { formatMoment } from '../../../../shared/dates.ts';
import { formatTotal } from '../../../../shared/figures.ts';
import type { Counted } from '../../../../shared/paging.ts';
import { messageOf } from '../../../lib/api-client.ts';
import { Button } from '../../../ui/button.tsx';
import { Card, EmptyState, Skeleton } from '../../../ui/card.tsx';
import { AdminPage } from '../admin-page.tsx';
import { useAdminList } from '../admin-queries.ts';
import { useTypedFilters } from '../dashboard-url.ts';
import { FilterBar, LoadMore } from '../searched-list.tsx';

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

/** `physical-product.updated` as `Physical product updated`. */
function wordsOf(action: string): string {
  const words = action.replaceAll(/[.-]/g, ' ');
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}

const pages: Record<string, { words: string; address(id: string): string }> = {
  product: { words: 'View product', address: (id) => `/admin?tab=digital&dialog=edit&product=${id}` },
  'physical-product': { words: 'View product', address: (id) => `/admin/products/${id}` },
  order: { words: 'View order', address: (id) => `/admin/orders/${id}` },
  user: { words: 'View user', address: (id) => `/admin/users/${id}` },
};

/** What and when, to what, by whom and from where: columns where there is room, lines on a phone. */
export function AuditEntryRow({ entry }: { entry: AuditEntry }) {
  const { at, actor, ip, action, subjectType, subjectId, summary } = entry;
  return (
    <article className="grid gap-x-6 gap-y-1.5 px-4 py-3.5 text-sm md:grid-cols-[10.5rem_minmax(0,1fr)_15rem]">
      <time dateTime={at} className="tabular text-muted">
        {formatMoment(at)}
      </time>
      <div className="grid justify-items-start gap-0.5">
        <h2 className="font-sans text-sm font-semibold tracking-normal">{wordsOf(action)}</h2>
        <p className="text-base wrap-anywhere">{summary}</p>
        <SubjectLink type={subjectType} id={subjectId} />
      </div>
      <p className="text-muted wrap-anywhere md:text-right">
        by <span className="text-ink">{actor}</span>
        {ip !== '' && <span className="md:block"> from {ip}</span>}
      </p>
    </article>
  );
}

function SubjectLink({ type, id }: { type: string; id: string }) {
  const className = 'inline-flex min-h-6 items-center font-semibold text-accent-ink underline';
  if (type === 'image') {
    return (
      <a href={`/images/${id}.webp`} className={className}>
        View image
      </a>
    );
  }
  const page = pages[type];
  if (!page) return null;
  return (
    <Link to={page.address(id)} className={className}>
      {page.words}
    </Link>
  );
}
