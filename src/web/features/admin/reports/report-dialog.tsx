import { type ChangeEvent, useState } from 'react';
import type { ReportKind } from '../../../../shared/statistics.ts';
import { openFile } from '../../../lib/api-client.ts';
import { shopNow } from '../../../lib/shop-clock.ts';
import { useDialogCall } from '../../../state/late-answer.ts';
import { useToasts } from '../../../state/toasts.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { Select } from '../../../ui/field.tsx';
import { Form } from '../../../ui/form-page.tsx';
import { Field } from '../../../ui/input.tsx';
import { downloadFile, useDashboardUrl } from '../dashboard.ts';
import { daysOf, type ReportDays, type ReportPeriod } from './report-days.ts';

export function ReportDialog() {
  const { get, set } = useDashboardUrl();
  const close = () => set({ dialog: '' });
  return (
    <Dialog isOpen={get('dialog') === 'report'} onClose={close} title="Generate Report">
      <ReportForm onClose={close} />
    </Dialog>
  );
}

const kinds: Record<ReportKind, string> = { orders: 'Orders', sales: 'Sales by product', tax: 'Tax' };

const descriptions: Record<ReportKind, string> = {
  orders: 'Every paid order: buyer, amounts, what was refunded and what remains.',
  sales: 'Units and amounts of each product before tax, best sellers first.',
  tax: 'Sales before tax and the tax on them for each day, without what was refunded.',
};

const spans: Record<ReportPeriod | 'other', string> = {
  'this-month': 'This month',
  'last-month': 'Last month',
  'last-30-days': 'Last 30 days',
  other: 'Custom',
};

function ReportForm({ onClose }: { onClose(): void }) {
  const [kind, setKind] = useState<ReportKind>('orders');
  const [span, setSpan] = useState<ReportPeriod | 'other'>('this-month');
  const [days, setDays] = useState(() => daysOf('this-month', shopNow()));
  const [bytes, setBytes] = useState(0);
  const { show } = useToasts();
  // The download continues after the dialog is closed.
  const { onSubmit, ...form } = useDialogCall({
    send: async () => {
      setBytes(0);
      const file = await openFile('GET /admin/reports/:kind', { params: { kind }, query: days });
      await downloadFile(file, `${kind}.csv`, setBytes);
      show({ type: 'success', message: 'The report is downloaded' });
    },
    errorMessage: 'The report could not be made',
    onDone: onClose,
  });
  const isReversed = days.from !== '' && days.to !== '' && days.from > days.to;

  function choose(chosen: ReportPeriod | 'other') {
    setSpan(chosen);
    if (chosen !== 'other') setDays(daysOf(chosen, shopNow()));
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
      {...form}
      action="Generate Report"
      className="gap-5"
      onSubmit={() => {
        if (!isReversed) onSubmit();
      }}
      onCancel={onClose}
      focused>
      <Select
        label="Report"
        options={kinds}
        value={kind}
        hint={descriptions[kind]}
        onChange={({ target }) => setKind(target.value as ReportKind)}
      />
      <Select
        label="Period"
        options={spans}
        value={span}
        onChange={({ target }) => choose(target.value as ReportPeriod | 'other')}
      />
      <div className="grid grid-cols-1 gap-4 sm:grid-cols-2">
        <Field {...day('from')} label="First day" />
        <Field {...day('to')} label="Last day" error={isReversed ? 'Must not be before the first day' : undefined} />
      </div>
      <p className="text-sm text-muted">
        A CSV file for Excel and other programs, in US dollars. An order counts on the day of its payment, in Malaysian
        time.
      </p>
      <p role="status" className="tabular text-sm empty:hidden">
        {form.isBusy && `Downloading: ${(bytes / 1_000_000).toFixed(1)} MB so far`}
      </p>
    </Form>
  );
}
