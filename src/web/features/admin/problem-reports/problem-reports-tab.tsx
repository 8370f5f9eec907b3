import { MessageSquareWarning } from 'lucide-react';
import { orderNumber } from '../../../../shared/order-words.ts';
import type { ListedReport } from '../../../../shared/problem-reports.ts';
import { Moment } from '../../../lib/moment.tsx';
import { Card } from '../../../ui/card.tsx';
import { Select } from '../../../ui/field.tsx';
import { CardLink, CardSkeletons, ListHeading, SearchedList, useSearchedList } from '../admin-list.tsx';
import { useDashboardUrl } from '../dashboard-url.ts';
import { Facts } from '../figures.tsx';
import { ReportSummary } from './report-parts.tsx';

const CLOSED = 'closed';

const searched = ({ item, order, customer, email }: ListedReport) => [
  item.productName,
  `#${orderNumber(order)}`,
  customer,
  email,
];

/** Lists the problem reports that are not closed, those that wait longest first, or the closed reports. */
export function ProblemReportsTab() {
  const { get, set } = useDashboardUrl();
  const isClosed = get('status') === CLOSED;
  const list = useSearchedList('GET /admin/problem-reports', isClosed ? { closed: 'true' } : {}, searched);
  return (
    <div className="grid grid-cols-1 gap-5">
      <div className="flex flex-wrap items-end justify-between gap-4">
        <ListHeading title="Problem Reports">
          {list.isLoading ? 'Loading problem reports' : `${list.total} ${isClosed ? 'closed' : 'not closed'}`}
        </ListHeading>
        <Select
          label="Show"
          labelHidden
          className="w-40"
          value={isClosed ? CLOSED : ''}
          onChange={({ target }) => set({ status: target.value })}
          options={{ '': 'Not closed', [CLOSED]: 'Closed' }}
        />
      </div>
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
        <h3 id={`report-${_id}`} className="text-lg wrap-anywhere">
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
