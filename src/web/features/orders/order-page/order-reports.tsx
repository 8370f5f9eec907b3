import { Section } from '../../../ui/card.tsx';
import { ReportList, ReportsProblem, useProblemReports } from '../problem-reports.tsx';

/** The signed-in buyer's problem reports about an order; empty without reports. */
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
