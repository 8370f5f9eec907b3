import { ScrollText } from 'lucide-react';
import type { AuditEntry } from '../../../../shared/admin.ts';
import { isolateNames, orderNumber } from '../../../../shared/format.ts';
import { Moment } from '../../../lib/moment.tsx';
import { Card } from '../../../ui/display.tsx';
import { TextLink } from '../../../ui/form-page.tsx';
import { FilterFields, ListCount, ListView, listState } from '../admin-list.tsx';
import { AdminPage, wordsOf } from '../admin-page.tsx';
import { useAdminList, useListFilters } from '../dashboard.ts';

export const AuditLogScreen = () => (
  <AdminPage title="Audit Log">
    <AuditLog />
  </AdminPage>
);

function AuditLog() {
  const filters = useListFilters();
  const list = listState(useAdminList('GET /admin/audit-log', filters.query));
  return (
    <div className="grid grid-cols-1 gap-5">
      <p className="text-muted">
        Who did what, when and from where. Changed or removed entries are detected:{' '}
        <code className="font-mono text-sm">npm run audit:verify</code> checks the hash chain.
      </p>
      <FilterFields filters={filters} label="Search the audit log" placeholder="Who, what or to what" />
      <ListCount list={list} of="entries" className="text-sm">
        {list.total} {list.lastPage?.total === 1 ? 'entry' : 'entries'}
      </ListCount>
      <ListView
        list={list}
        of="entries"
        icon={ScrollText}
        heading="h2"
        failed="Failed to load the audit log"
        onClear={filters.isFiltered && filters.clear}
        whenEmpty={
          filters.isFiltered ? 'Nothing on record matches this search' : 'What administrators do will appear here'
        }>
        <Card aria-busy={list.isRefreshing}>
          <ul aria-label="Entries" className="divide-y divide-line">
            {list.entries.map((entry) => (
              <li key={entry._id}>
                <AuditEntryRow entry={entry} />
              </li>
            ))}
          </ul>
        </Card>
      </ListView>
    </div>
  );
}

function AuditEntryRow({ entry }: { entry: AuditEntry }) {
  const { at, actor, ip, action, subjectType, subjectId, summary } = entry;
  return (
    <article className="grid gap-x-6 gap-y-1.5 px-4 py-3.5 text-sm md:grid-cols-[10.5rem_minmax(0,1fr)_15rem]">
      <Moment at={at} className="tabular text-muted" />
      <div className="grid justify-items-start gap-0.5">
        <h2 className="text-sm font-semibold tracking-normal">{wordsOf(action)}</h2>
        <p className="text-base wrap-anywhere">{isolateNames(summary)}</p>
        <SubjectLink type={subjectType} id={subjectId} summary={summary} />
      </div>
      <p className="text-muted wrap-anywhere md:text-right">
        by <span className="text-ink">{actor}</span>
        {ip !== '' && <span className="md:block"> from {ip}</span>}
      </p>
    </article>
  );
}

/** Label and URL of a subject's page; `…` stands for its id. */
const subjectPages = new Map([
  ['product', ['View product', '/admin?tab=digital&dialog=edit&product=…']],
  ['physical-product', ['View product', '/admin/products/…']],
  ['order', ['View order', '/admin/orders/…']],
  ['user', ['View user', '/admin/users/…']],
  ['image', ['View image', '/images/….webp']],
]);

function SubjectLink({ type, id, summary }: { type: string; id: string; summary: string }) {
  const [label, url = ''] = subjectPages.get(type) ?? [];
  return (
    label && (
      <TextLink
        to={url.replace('…', id)}
        reloadDocument={type === 'image'}
        className="inline-flex min-h-6 items-center">
        {label}
        {type === 'order' && ` #${orderNumber(id)}`}
        <span className="sr-only"> ({summary})</span>
      </TextLink>
    )
  );
}
