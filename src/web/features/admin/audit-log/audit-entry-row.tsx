import { Link } from 'react-router';
import type { AuditEntry } from '../../../../shared/admin.ts';
import { formatMoment } from '../../../../shared/dates.ts';

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
