import { useMutation } from '@tanstack/react-query';
import { type ChangeEvent, useState } from 'react';
import type { ReportKind } from '../../../../shared/statistics.ts';
import { CallError, messageOf, openFile } from '../../../lib/api-client.ts';
import { useToasts } from '../../../state/toasts.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { Field, Select } from '../../../ui/field.tsx';
import { Form } from '../../../ui/form-page.tsx';
import { useDashboardUrl } from '../dashboard-url.ts';
import { daysOf, type ReportDays, type ReportPeriod } from './report-days.ts';

export function ReportDialog() {
  const { set } = useDashboardUrl();
  const close = () => set({ dialog: '' });
  return (
    <Dialog isOpen onClose={close} title="Generate Report">
      <ReportForm onClose={close} />
    </Dialog>
  );
}

const kinds: Record<ReportKind, [label: string, description: string]> = {
  orders: ['Orders', 'Every paid order: buyer, amounts, what was refunded and what remains.'],
  sales: ['Sales by product', 'Units and amounts of each product before tax, the best first.'],
  tax: ['Tax', 'Sales before tax and the tax on them for each day, without what was refunded.'],
};

const spans: Record<ReportPeriod | 'other', string> = {
  'this-month': 'This month',
  'last-month': 'Last month',
  'last-30-days': 'Last 30 days',
  other: 'Other days',
};

function ReportForm({ onClose }: { onClose(): void }) {
  const [kind, setKind] = useState<ReportKind>('orders');
  const [span, setSpan] = useState<ReportPeriod | 'other'>('this-month');
  const [days, setDays] = useState(() => daysOf('this-month', new Date()));
  const { generate, isBusy, bytes, problem } = useReport(onClose);
  const isReversed = days.from !== '' && days.to !== '' && days.from > days.to;

  function choose(chosen: ReportPeriod | 'other') {
    setSpan(chosen);
    if (chosen !== 'other') setDays(daysOf(chosen, new Date()));
  }

  const day = (name: keyof ReportDays) => ({
    type: 'date',
    value: days[name],
    onChange: ({ target }: ChangeEvent<HTMLInputElement>) => {
      setSpan('other');
      setDays({ ...days, [name]: target.value });
    },
  });

  return (
    <Form
      action="Generate Report"
      className="gap-5"
      isBusy={isBusy}
      problem={problem}
      onSubmit={() => {
        if (!isReversed) generate({ kind, days });
      }}
      onCancel={onClose}>
      <Select
        label="Report"
        value={kind}
        hint={kinds[kind][1]}
        onChange={({ target }) => setKind(target.value as ReportKind)}>
        {Object.entries(kinds).map(([name, [label]]) => (
          <option key={name} value={name}>
            {label}
          </option>
        ))}
      </Select>
      <Select label="Period" value={span} onChange={({ target }) => choose(target.value as ReportPeriod | 'other')}>
        {Object.entries(spans).map(([name, label]) => (
          <option key={name} value={name}>
            {label}
          </option>
        ))}
      </Select>
      <div className="grid grid-cols-1 gap-4 sm:grid-cols-2">
        <Field {...day('from')} label="First day" />
        <Field {...day('to')} label="Last day" error={isReversed ? 'must not be before the first day' : undefined} />
      </div>
      <p className="text-sm text-muted">
        A CSV file for Excel and others, in US dollars. An order counts on the day it was paid, in Malaysian time.
      </p>
      <p role="status" className="tabular text-sm empty:hidden">
        {isBusy && `Downloading: ${(bytes / 1_000_000).toFixed(1)} MB so far`}
      </p>
    </Form>
  );
}

/** The download goes on when the dialog is closed. */
function useReport(onDone: () => void) {
  const [bytes, setBytes] = useState(0);
  const { show } = useToasts();
  const report = useMutation({
    mutationFn: async ({ kind, days }: { kind: ReportKind; days: ReportDays }) => {
      setBytes(0);
      const query = { ...(days.from && { from: days.from }), ...(days.to && { to: days.to }) };
      await keepFile(await openFile('GET /admin/reports/:kind', { params: { kind }, query }), `${kind}.csv`, setBytes);
    },
    onSuccess: () => {
      show({ type: 'success', message: 'The report is downloaded' });
      onDone();
    },
  });
  return {
    generate: report.mutate,
    isBusy: report.isPending,
    bytes,
    problem: report.isError ? messageOf(report.error, 'The report could not be made') : null,
  };
}

/** Downloads a file, reports the bytes so far, and hands it to the browser. Throws CallError when the connection breaks. */
async function keepFile(response: Response, fallbackName: string, onProgress: (bytes: number) => void): Promise<void> {
  const pieces: BlobPart[] = [];
  let bytes = 0;
  const reader = response.body?.getReader();
  try {
    for (let piece = await reader?.read(); piece && !piece.done; piece = await reader?.read()) {
      pieces.push(piece.value);
      bytes += piece.value.length;
      onProgress(bytes);
    }
  } catch {
    throw new CallError(0, 'UNREACHABLE', 'The download broke off. Please try again.');
  }
  const name = /filename="([^"]+)"/.exec(response.headers.get('content-disposition') ?? '')?.[1];
  const url = URL.createObjectURL(new Blob(pieces, { type: response.headers.get('content-type') ?? '' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name ?? fallbackName;
  link.click();
  // Later: the browser reads the URL after the click.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
