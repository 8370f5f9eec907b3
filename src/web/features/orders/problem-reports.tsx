import { type UseQueryResult, useQueryClient } from '@tanstack/react-query';
import { CircleCheck, Clock, MessageSquare, MessageSquareWarning } from 'lucide-react';
import { type ReactNode, useId, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { plural } from '../../../shared/format.ts';
import type { DeliveredUnit } from '../../../shared/orders.ts';
import {
  type ProblemReport,
  problemNames,
  type ReportOutcome,
  type ReportsOfOrder,
} from '../../../shared/problem-reports.ts';
import { call } from '../../lib/api-client.ts';
import { Moment } from '../../lib/moment.tsx';
import { shopNow } from '../../lib/shop-clock.ts';
import { mineKey, useMine } from '../../state/account-status.ts';
import { useSession } from '../../state/session.tsx';
import { useToasts } from '../../state/toasts.tsx';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Badge } from '../../ui/display.tsx';
import { LoadFailureBanner } from '../../ui/loading.tsx';
import { Messages } from '../../ui/prose.tsx';
import { ReportForm, WithdrawForm } from './report-form.tsx';

export const useProblemReports = (order: string, options: { enabled?: boolean } = {}) =>
  useMine(['problem-reports', order], () => call('GET /problem-reports', { query: { order } }), options);

function useShowReports(orderId: string) {
  const client = useQueryClient();
  const queryKey = mineKey(useSession().user?._id, 'problem-reports', orderId);
  return {
    show: ({ data }: { data: ReportsOfOrder }) => client.setQueryData(queryKey, data),
    reload: () => void client.invalidateQueries({ queryKey }),
  };
}

export const ReportsFailure = ({ query }: { query: UseQueryResult }) =>
  query.isLoadingError && <LoadFailureBanner message="Your problem reports could not be loaded." query={query} />;

interface ItemReportsProps {
  orderId: string;
  data: ReportsOfOrder | undefined;
  line: string;
  item: DeliveredUnit;
  label: string;
}

export function ItemReports({ orderId, data, line, item, label }: ItemReportsProps) {
  const [isOpen, setIsOpen] = useState(false);
  const now = shopNow().getTime();
  const { show, reload } = useShowReports(orderId);
  const { show: toast } = useToasts();
  const warranty = useRef<HTMLParagraphElement>(null);
  const reports = (data?.reports ?? []).filter(
    (report) => report.item.line === line && report.item.number === item.number,
  );
  const isUnderWarranty = item.warrantyUntil !== null && now < Date.parse(item.warrantyUntil);
  const isReported = reports.some(({ state }) => state !== 'closed');
  const close = () => setIsOpen(false);
  return (
    <>
      {reports.map((report) => (
        <Conversation key={report._id} report={report} />
      ))}
      {item.warrantyUntil !== null && (
        <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 text-sm">
          <p ref={warranty} tabIndex={-1} className="text-muted outline-none">
            {isUnderWarranty ? 'Warranty until' : 'The warranty ended on'} <Moment at={item.warrantyUntil} />
          </p>
          {isUnderWarranty && !isReported && (
            <Button
              variant="quiet"
              size="sm"
              icon={MessageSquareWarning}
              disabled={data === undefined}
              onClick={() => setIsOpen(true)}>
              Report a problem<span className="sr-only"> with {label}</span>
            </Button>
          )}
        </div>
      )}
      <Dialog title="Report a problem" isOpen={isOpen} onClose={close}>
        {data && (
          <p>
            We answer within {data.answerDays} {plural(data.answerDays, 'day')}: with a reply, another item, or your
            money. You find our answer here, and we send you a mail.
          </p>
        )}
        <ReportForm
          asksProblem
          about={item.id}
          onFailure={reload}
          onDone={() => {
            flushSync(close);
            warranty.current?.focus();
          }}
          onClose={close}
          send={async (written) => {
            show(await call('POST /problem-reports', { body: { ...written, order: orderId, item: item.id } }));
            toast({ type: 'success', message: 'Your report is with the shop' });
          }}
        />
      </Dialog>
    </>
  );
}

/** A list of reports that are not shown below their items; each has the name of its item. */
export const ReportList = ({ reports }: { reports: readonly ProblemReport[] }) =>
  reports.map((report) => (
    <Conversation key={report._id} report={report}>
      {report.item.productName}, item {report.item.number}
    </Conversation>
  ));

const states = {
  open: { name: 'Waiting for the shop', tone: 'info' },
  answered: { name: 'Answered', tone: 'success' },
  closed: { name: 'Closed', tone: 'neutral' },
} as const;
const outcomes: Record<ReportOutcome, string> = {
  message: 'The shop has closed this report.',
  replaced: 'The shop has replaced the item.',
  refunded: 'The shop has given the money back.',
  withdrawn: 'You have closed this report.',
  disputed: 'Closed, because the payment was disputed with the bank.',
};

function Conversation({ report, children }: { report: ProblemReport; children?: ReactNode }) {
  const { _id, state, outcome, closedAt, answerBy, isOverdue } = report;
  const headingId = useId();
  const [dialog, setDialog] = useState<'reply' | 'withdraw' | null>(null);
  const { show, reload } = useShowReports(report.order);
  const close = () => setDialog(null);
  const params = { id: _id };
  const about = (
    <span className="sr-only">
      {' '}
      about item {report.item.number} of {report.item.productName}
    </span>
  );
  return (
    <section
      tabIndex={-1}
      aria-labelledby={headingId}
      className="grid grid-cols-1 gap-3 rounded-md border border-line bg-surface p-3 outline-none sm:p-4">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <h3 id={headingId} className="text-base tracking-normal">
          Problem report: {problemNames[report.problem]}
        </h3>
        <Badge tone={states[state].tone}>{states[state].name}</Badge>
        {children && <p className="w-full text-sm text-muted">{children}</p>}
      </div>
      <Messages
        messages={report.messages}
        ownSide="buyer"
        authorOf={({ side }) => (side === 'buyer' ? 'You' : 'The shop')}
        moment={(at) => <Moment at={at} />}
        pictureKey={['mine', 'report-picture']}
        loadPicture={async (messageId) => {
          const of = { id: _id, messageId };
          return (await call('GET /problem-reports/:id/pictures/:messageId', { params: of })).data.webp;
        }}
      />
      {answerBy !== null && (
        <p className="flex items-center gap-2 text-sm text-muted">
          <Clock aria-hidden className="size-4 shrink-0" />
          <span>
            {isOverdue ? 'Our answer is late; it was due by ' : 'We answer by '}
            <Moment at={answerBy} />
            {isOverdue && '. You do not need to write again.'}
          </span>
        </p>
      )}
      {outcome !== null && closedAt !== null && (
        <p className="flex items-center gap-2 text-sm text-muted">
          <CircleCheck aria-hidden className="size-4 shrink-0" />
          <span>
            {outcomes[outcome]} <Moment at={closedAt} />
          </span>
        </p>
      )}
      {state !== 'closed' && (
        <div className="flex flex-wrap gap-2">
          <Button variant="secondary" size="sm" icon={MessageSquare} onClick={() => setDialog('reply')}>
            Write a message
            {about}
          </Button>
          <Button variant="quiet" size="sm" onClick={() => setDialog('withdraw')}>
            Close the report
            {about}
          </Button>
        </div>
      )}
      <Dialog title="Write a message" isOpen={dialog === 'reply'} onClose={close}>
        <ReportForm
          asksProblem={false}
          about={_id}
          onFailure={reload}
          onDone={close}
          onClose={close}
          send={async ({ problem: _, ...body }) =>
            show(await call('POST /problem-reports/:id/messages', { params, body }))
          }
        />
      </Dialog>
      <Dialog title="Close the report" isOpen={dialog === 'withdraw'} onClose={close}>
        <WithdrawForm
          onClose={close}
          send={async () => show(await call('POST /problem-reports/:id/withdraw', { params }))}
        />
      </Dialog>
    </section>
  );
}
