import { Section } from '../../../ui/card.tsx';
import { TextLink } from '../../../ui/form-page.tsx';
import { ProblemBanner } from '../admin-page.tsx';
import { useAdminList } from '../admin-queries.ts';
import { ReportSummary } from './report-parts.tsx';

/** The problem reports of an order, each a link to its conversation; nothing while there is none. */
export function OrderProblemReports({ orderId }: { orderId: string }) {
  const list = useAdminList('GET /admin/problem-reports', { order: orderId });
  const reports = list.data?.pages.flatMap(({ data }) => data) ?? [];
  if (reports.length === 0 && !list.isLoadingError) return null;
  return (
    <Section title="Problem reports">
      {list.isLoadingError && (
        <ProblemBanner
          message="Failed to load the problem reports"
          onRetry={() => void list.refetch()}
          isRetrying={list.isFetching}
        />
      )}
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
