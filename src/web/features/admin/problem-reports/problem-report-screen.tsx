import { FileQuestion } from 'lucide-react';
import { useState } from 'react';
import { formatCount, orderNumber } from '../../../../shared/format.ts';
import { type AdminReport, MAX_REPORT_TEXT } from '../../../../shared/problem-reports.ts';
import { call } from '../../../lib/api-client.ts';
import { Moment } from '../../../lib/moment.tsx';
import { Button } from '../../../ui/button.tsx';
import { Card, Section } from '../../../ui/display.tsx';
import { Form, TextLink } from '../../../ui/form-page.tsx';
import { Choice, TextArea } from '../../../ui/input.tsx';
import { Messages } from '../../../ui/prose.tsx';
import { ActionDialog, useKeepAs, useTextForm } from '../action-dialog.tsx';
import { EntryPage, Facts } from '../admin-page.tsx';
import { ADMIN, useAdminData } from '../dashboard.ts';
import { ItemStateBadge, useTypedReplacement } from '../inventory/items.tsx';
import { ReportSummary } from './problem-reports-tab.tsx';

const useReport = (id: string) =>
  useAdminData(['problem-report', id], () => call('GET /admin/problem-reports/:id', { params: { id } }));

export const ProblemReportScreen = () => (
  <EntryPage
    what="problem report"
    icon={FileQuestion}
    useEntry={useReport}
    titleOf={({ item }) => `Problem report: ${item.productName}`}>
    {(report) => (
      <>
        <Card className="grid grid-cols-1 gap-5 p-5 sm:p-6">
          <ReportSummary report={report}>
            <h2 dir="auto" className="text-left text-lg wrap-anywhere">
              {report.item.productName}
            </h2>
          </ReportSummary>
          {report.state !== 'closed' && <ReportActions report={report} />}
        </Card>
        <div className="grid grid-cols-1 items-start gap-6 lg:grid-cols-[minmax(0,1fr)_22rem]">
          <Section title="Conversation">
            <Messages
              messages={report.messages}
              ownSide="shop"
              authorOf={({ side, actor }) => (side === 'shop' ? actor : report.customer || report.email)}
              moment={(at) => <Moment at={at} />}
              pictureKey={[ADMIN, 'report-picture']}
              loadPicture={async (messageId) => {
                const params = { id: report._id, messageId };
                return (await call('GET /admin/problem-reports/:id/pictures/:messageId', { params })).data.webp;
              }}
            />
            {report.state !== 'closed' && <AnswerForm report={report} />}
          </Section>
          <ReportFacts report={report} />
        </div>
      </>
    )}
  </EntryPage>
);

const stockWords = (available: number) =>
  available === 0
    ? 'No other item is in stock to replace it with.'
    : `${formatCount(available)} in stock to replace it with.`;

function ReportActions({ report }: { report: AdminReport }) {
  const [dialog, setDialog] = useState<'replace' | 'refund' | null>(null);
  const { _id, available, delivery, item } = report;
  const typed = useTypedReplacement(delivery === 'manual');
  const lastMessage = report.messages.at(-1)?._id ?? '';
  const params = { id: _id };
  function close() {
    typed.clear();
    setDialog(null);
  }
  const name = (
    <strong className="wrap-anywhere">
      <bdi>{item.productName}</bdi>
    </strong>
  );
  return (
    <div className="grid gap-2 border-t border-line pt-5">
      <div className="flex flex-wrap gap-3">
        <Button disabled={delivery === 'unique' && available === 0} onClick={() => setDialog('replace')}>
          Replace item
        </Button>
        <Button variant="danger" onClick={() => setDialog('refund')}>
          Refund item
        </Button>
      </div>
      <p className="text-sm text-muted">
        {delivery === 'unique' && `${stockWords(available)} `}Either closes the report; the reported item is never sold
        again.
      </p>
      <ActionDialog
        title="Replace item"
        isOpen={dialog === 'replace'}
        danger={false}
        asksReason={false}
        send={() => call('POST /admin/problem-reports/:id/replace', { params, body: { lastMessage, ...typed.body } })}
        successMessage="The buyer has a new item"
        errorMessage="The item could not be replaced"
        {...typed.dialog}
        onClose={close}>
        <p>
          The buyer of {name} gets {delivery === 'unique' ? 'another item from the stock' : 'a new item'}, and a mail.
        </p>
        {typed.field}
      </ActionDialog>
      <ActionDialog
        title="Refund item"
        isOpen={dialog === 'refund'}
        asksReason={false}
        send={() => call('POST /admin/problem-reports/:id/refund', { params, body: { lastMessage } })}
        successMessage="The money goes back to the buyer"
        errorMessage="The refund failed"
        onClose={close}>
        <p>The price of one {name} and its tax go back to the card. The item is withdrawn. This cannot be undone.</p>
      </ActionDialog>
    </div>
  );
}

/** Each answer has a form of its own, so that the focus moves from the button to the conversation with the answer. */
function AnswerForm({ report }: { report: AdminReport }) {
  const [sent, setSent] = useState(0);
  return <Answer key={sent} report={report} onDone={() => setSent(sent + 1)} />;
}

function Answer({ report, onDone }: { report: AdminReport; onDone(): void }) {
  const [closes, setCloses] = useState(false);
  const { field, form } = useTextForm({
    missing: 'Please write an answer',
    keepAs: useKeepAs('answer', report._id),
    send: (text, draft) => {
      const lastMessage = report.messages.at(-1)?._id ?? '';
      const body = { text, draft, close: closes, lastMessage };
      return call('POST /admin/problem-reports/:id/answer', { params: { id: report._id }, body });
    },
    successMessage: 'The buyer has your answer',
    errorMessage: 'The answer could not be sent',
    onDone,
  });

  return (
    <Form {...form} action="Send answer" layout="card" className="border-t border-line pt-5">
      <TextArea
        {...field}
        label="Your answer"
        maxLength={MAX_REPORT_TEXT}
        hint="The buyer reads it on their order's page; the mail only says that there is an answer."
      />
      <fieldset className="grid gap-2">
        <legend className="mb-1.5 text-sm font-semibold">Afterwards</legend>
        <Choice name="afterwards" checked={!closes} onChoose={() => setCloses(false)}>
          The buyer can reply
        </Choice>
        <Choice name="afterwards" checked={closes} onChoose={() => setCloses(true)}>
          The report is closed
        </Choice>
      </fieldset>
    </Form>
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
