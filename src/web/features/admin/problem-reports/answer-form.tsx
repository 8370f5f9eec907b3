import { useState } from 'react';
import { v7 as uuidv7 } from 'uuid';
import { type AdminReport, MAX_REPORT_TEXT } from '../../../../shared/problem-reports.ts';
import { call } from '../../../lib/api-client.ts';
import { Choice } from '../../../ui/choice.tsx';
import { Form } from '../../../ui/form-page.tsx';
import { TextArea } from '../../../ui/text-fields.tsx';
import { useAction, useRequiredText } from '../action-dialog.tsx';

/** Answers a problem report by a message. Afterwards the buyer can reply, or the report is closed. */
export function AnswerForm({ report }: { report: AdminReport }) {
  // Idempotency key, and the id of the message: a retry after a lost response writes no second answer.
  const [idempotencyKey, setIdempotencyKey] = useState(() => uuidv7());
  // Only the own answer empties the form. What is typed stays when anybody else writes.
  if (report.messages.some(({ _id }) => _id === idempotencyKey)) setIdempotencyKey(uuidv7());
  return <Answer key={idempotencyKey} idempotencyKey={idempotencyKey} report={report} />;
}

function Answer({ report, idempotencyKey }: { report: AdminReport; idempotencyKey: string }) {
  const answer = useRequiredText('Please write an answer');
  const [closes, setCloses] = useState(false);
  const { run, ...form } = useAction({
    send: () =>
      call('POST /admin/problem-reports/:id/answer', {
        params: { id: report._id },
        body: {
          text: answer.text,
          draft: idempotencyKey,
          close: closes,
          lastMessage: report.messages.at(-1)?._id ?? '',
        },
      }),
    successMessage: 'The buyer has your answer',
    errorMessage: 'The answer could not be sent',
  });

  function submit() {
    if (answer.check()) run();
  }

  return (
    <Form {...form} action="Send answer" layout="card" onSubmit={submit} className="border-t border-line pt-5">
      <TextArea
        {...answer.field}
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
