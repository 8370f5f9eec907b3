import { Section } from '../../../ui/card.tsx';
import { TextLink } from '../../../ui/form-page.tsx';
import { LoadFailureBanner } from '../../../ui/loading.tsx';
import { useAdminList } from '../admin-queries.ts';
import { ReportSummary } from './report-parts.tsx';

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
