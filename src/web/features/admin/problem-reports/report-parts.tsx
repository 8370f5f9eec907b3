import type { ReactNode } from 'react';
import { problemNames, type ReportHead, type ReportOutcome } from '../../../../shared/problem-reports.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Section } from '../../../ui/card.tsx';
import { TextLink } from '../../../ui/form-page.tsx';
import { LoadFailureBanner } from '../../../ui/loading.tsx';
import { Picture } from '../../../ui/picture.tsx';
import { useAdminList } from '../admin-queries.ts';

const outcomeNames: Record<ReportOutcome, string> = {
  message: 'Closed by a message',
  replaced: 'Replaced',
  refunded: 'Refunded',
  withdrawn: 'Closed by the buyer',
  disputed: 'Disputed with the bank',
};

/** Shows the product and the problem of a report, and its state. */
export function ReportSummary({ report, children }: { report: ReportHead; children: ReactNode }) {
  const { item, state, outcome, isOverdue, problem } = report;
  return (
    <div className="flex items-start gap-4">
      <Picture src={item.image} category={item.category} className="aspect-4/3 w-20 shrink-0 rounded-md max-sm:w-14" />
      <div className="grid min-w-0 gap-1.5">
        {children}
        <p className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm">
          {isOverdue && <Badge tone="danger">Overdue</Badge>}
          {state === 'open' && !isOverdue && <Badge tone="warning">To be answered</Badge>}
          {state === 'answered' && <Badge tone="success">Answered</Badge>}
          {outcome !== null && <Badge>{outcomeNames[outcome]}</Badge>}
          <span className="font-medium">{problemNames[problem]}</span>
          <span className="text-muted">Item {item.number}</span>
        </p>
      </div>
    </div>
  );
}

/** Lists an order's problem reports with links to their conversations. Renders nothing if there are none. */
export function OrderProblemReports({ orderId }: { orderId: string }) {
  const list = useAdminList('GET /admin/problem-reports', { order: orderId });
  const reports = list.data?.pages.flatMap(({ data }) => data) ?? [];
  if (reports.length === 0 && !list.isLoadingError) return null;
  return (
    <Section title="Problem reports">
      {list.isLoadingError && <LoadFailureBanner message="Failed to load the problem reports" query={list} />}
      <ul className="grid gap-4">
        {reports.map((report) => (
          <li key={report._id}>
            <ReportSummary report={report}>
              <TextLink to={`/admin/problem-reports/${report._id}`}>{report.item.productName}</TextLink>
            </ReportSummary>
          </li>
        ))}
      </ul>
    </Section>
  );
}
