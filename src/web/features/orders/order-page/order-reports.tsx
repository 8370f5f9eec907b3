import { Section } from '../../../ui/card.tsx';
import { ReportList, ReportsProblem, useProblemReports } from '../problem-reports.tsx';

/** What its signed-in buyer has reported about the items of an order; nothing while that is nothing. */
export function OrderReports({ orderId }: { orderId: string }) {
  const reports = useProblemReports(orderId);
  if (!reports.isLoadingError && (reports.data?.reports ?? []).length === 0) return null;
  return (
    <Section title="Problem reports">
      <ReportsProblem query={reports} />
      <ReportList reports={reports.data?.reports ?? []} />
    </Section>
  );
}
