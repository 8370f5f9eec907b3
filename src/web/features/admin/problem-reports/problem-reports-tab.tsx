import { MessageSquareWarning } from 'lucide-react';
import type { ReactNode } from 'react';
import { orderNumber } from '../../../../shared/format.ts';
import {
  type ListedReport,
  problemNames,
  type ReportHead,
  type ReportOutcome,
} from '../../../../shared/problem-reports.ts';
import { Moment } from '../../../lib/moment.tsx';
import { Badge, Card, Picture, Section } from '../../../ui/display.tsx';
import { Select } from '../../../ui/field.tsx';
import { TextLink } from '../../../ui/form-page.tsx';
import { LoadFailureBanner } from '../../../ui/loading.tsx';
import { CardLink, CardSkeletons, ListHeading, listState, SearchedList, useSearchedList } from '../admin-list.tsx';
import { Facts } from '../admin-page.tsx';
import { useAdminList, useDashboardUrl } from '../dashboard.ts';

const CLOSED = 'closed';

const searched = ({ item, order, customer, email }: ListedReport) => [
  item.productName,
  `#${orderNumber(order)}`,
  customer,
  email,
];

export function ProblemReportsTab() {
  const { get, set } = useDashboardUrl();
  const isClosed = get('status') === CLOSED;
  const list = useSearchedList('GET /admin/problem-reports', isClosed ? { closed: 'true' } : {}, searched);
  const count = `${list.total} ${isClosed ? 'closed' : 'not closed'}`;
  return (
    <div className="grid grid-cols-1 gap-5">
      <ListHeading title="Problem Reports" list={list} of="problem reports" count={count}>
        <Select
          label="Show"
          labelHidden
          className="w-40"
          value={isClosed ? CLOSED : ''}
          onChange={({ target }) => set({ status: target.value })}
          options={{ '': 'Not closed', [CLOSED]: 'Closed' }}
        />
      </ListHeading>
      <SearchedList
        list={list}
        of="problem reports"
        placeholder="Product, order, name or email"
        icon={MessageSquareWarning}
        whenEmpty={
          isClosed ? 'Reports appear here once they are closed' : 'What buyers report about their items appears here'
        }
        skeleton={<CardSkeletons className="h-36" />}>
        <ul aria-label="Problem reports" aria-busy={list.isRefreshing} className="grid grid-cols-1 gap-4">
          {list.entries.map((report) => (
            <li key={report._id}>
              <ReportRow report={report} />
            </li>
          ))}
        </ul>
      </SearchedList>
    </div>
  );
}

function ReportRow({ report }: { report: ListedReport }) {
  const { _id, item, order, customer, email, openedAt, answerBy, closedAt } = report;
  return (
    <Card
      role="article"
      aria-labelledby={`report-${_id}`}
      className="relative grid grid-cols-1 gap-4 p-4 transition-shadow hover:shadow-lift sm:p-5">
      <ReportSummary report={report}>
        <h3 dir="auto" id={`report-${_id}`} className="text-left text-lg wrap-anywhere">
          <CardLink to={`/admin/problem-reports/${_id}`}>{item.productName}</CardLink>
        </h3>
      </ReportSummary>
      <Facts
        className="grid-cols-2 lg:grid-cols-4"
        facts={{
          'Answer by': answerBy && <Moment at={answerBy} />,
          'Closed on': closedAt && <Moment at={closedAt} />,
          'Reported on': <Moment at={openedAt} />,
          Order: `#${orderNumber(order)}`,
          Customer: customer || email,
        }}
      />
    </Card>
  );
}

const outcomeNames: Record<ReportOutcome, string> = {
  message: 'Closed by a message',
  replaced: 'Replaced',
  refunded: 'Refunded',
  withdrawn: 'Closed by the buyer',
  disputed: 'Disputed with the bank',
};

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

export function OrderProblemReports({ orderId }: { orderId: string }) {
  const { entries, error, ...list } = listState(useAdminList('GET /admin/problem-reports', { order: orderId }));
  if (entries.length === 0 && !error) return null;
  return (
    <Section title="Problem reports">
      {error && <LoadFailureBanner message="Failed to load the problem reports" query={list} />}
      <ul className="grid gap-4">
        {entries.map((report) => (
          <li key={report._id}>
            <ReportSummary report={report}>
              <TextLink to={`/admin/problem-reports/${report._id}`} className="wrap-anywhere">
                <bdi>{report.item.productName}</bdi>
              </TextLink>
            </ReportSummary>
          </li>
        ))}
      </ul>
    </Section>
  );
}
