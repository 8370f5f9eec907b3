import { FileQuestion } from 'lucide-react';
import { useParams } from 'react-router';
import { orderNumber } from '../../../../shared/order-words.ts';
import type { AdminReport } from '../../../../shared/problem-reports.ts';
import { call } from '../../../lib/api-client.ts';
import { Moment } from '../../../lib/moment.tsx';
import { Card, Section } from '../../../ui/card.tsx';
import { LoadedPicture, Message } from '../../../ui/conversation.tsx';
import { TextLink } from '../../../ui/form-page.tsx';
import { AdminPage, QueryState } from '../admin-page.tsx';
import { ADMIN, useAdminData } from '../admin-queries.ts';
import { Facts } from '../figures.tsx';
import { ItemStateBadge } from '../inventory/item-row.tsx';
import { AnswerForm } from './answer-form.tsx';
import { ReportActions } from './report-actions.tsx';
import { ReportSummary } from './report-parts.tsx';

export function ProblemReportScreen() {
  const { id = '' } = useParams();
  return (
    <AdminPage title="Problem report" tab="problem-reports">
      <Report key={id} id={id} />
    </AdminPage>
  );
}

function Report({ id }: { id: string }) {
  const query = useAdminData(
    ['problem-report', id],
    async () => (await call('GET /admin/problem-reports/:id', { params: { id } })).data,
  );
  return (
    <QueryState what="problem report" icon={FileQuestion} query={query}>
      {(report) => (
        <>
          <Card className="grid grid-cols-1 gap-5 p-5 sm:p-6">
            <ReportSummary report={report}>
              <h2 className="text-lg wrap-anywhere">{report.item.productName}</h2>
            </ReportSummary>
            {report.state !== 'closed' && <ReportActions report={report} />}
          </Card>
          <div className="grid grid-cols-1 items-start gap-6 lg:grid-cols-[minmax(0,1fr)_22rem]">
            <Section title="Conversation">
              <Messages report={report} />
              {report.state !== 'closed' && <AnswerForm report={report} />}
            </Section>
            <ReportFacts report={report} />
          </div>
        </>
      )}
    </QueryState>
  );
}

function Messages({ report: { _id: id, messages, customer, email } }: { report: AdminReport }) {
  return (
    <ol aria-label="Messages" className="grid grid-cols-1 gap-2">
      {messages.map(({ _id: messageId, side, actor, at, message, picture }) => (
        <Message
          key={messageId}
          author={side === 'shop' ? actor : customer || email}
          at={<Moment at={at} />}
          isOwn={side === 'shop'}
          text={message}>
          {picture === 'kept' && (
            <LoadedPicture
              queryKey={[ADMIN, 'report-picture', messageId]}
              load={async () => {
                const params = { id, messageId };
                return (await call('GET /admin/problem-reports/:id/pictures/:messageId', { params })).data.webp;
              }}
              alt="Picture of the problem"
            />
          )}
          {picture === 'removed' && <p className="text-sm text-muted">The picture was deleted after a year.</p>}
        </Message>
      ))}
    </ol>
  );
}

function ReportFacts({ report }: { report: AdminReport }) {
  const { item, order, customer, email, openedAt, answerBy, closedAt } = report;
  return (
    <Section title="Details">
      <Facts
        facts={{
          'Answer by': answerBy && <Moment at={answerBy} />,
          'Closed on': closedAt && <Moment at={closedAt} />,
          'Reported on': <Moment at={openedAt} />,
          'Warranty until': <Moment at={item.warrantyUntil} />,
          Item: (
            <span className="flex flex-wrap items-center gap-2">
              <code className="font-mono break-all">{item.masked}</code>
              <ItemStateBadge state={item.state} />
            </span>
          ),
          Order: <TextLink to={`/admin/orders/${order}`}>#{orderNumber(order)}</TextLink>,
          Customer: customer,
          Email: email,
        }}
      />
    </Section>
  );
}
