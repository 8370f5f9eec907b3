import { useState } from 'react';
import { formatCount, plural } from '../../../../shared/format.ts';
import type { InventoryReport } from '../../../../shared/inventory.ts';
import { call, messageOf } from '../../../lib/api-client.ts';
import { useIsShown } from '../../../state/answers.ts';
import { useToasts } from '../../../state/toasts.tsx';
import { Button } from '../../../ui/button.tsx';
import { Select } from '../../../ui/field.tsx';
import { FocusedHeading } from '../../../ui/form-page.tsx';
import { Checkbox, ProgressField } from '../../../ui/input.tsx';
import { useReason } from '../action-dialog.tsx';
import { useReloadDashboard } from '../dashboard.ts';
import { columnNames, type ItemFile, type ItemTable, nextChunk, previewOf, type ReadItems } from './read-items.ts';

const FAILED = 'Failed to add inventory';

type Upload =
  | { step: 'entering'; problem?: string }
  | { step: 'checking'; sent: number; of: number }
  | { step: 'checked'; report: InventoryReport; onAdd(restoreReason?: string): void }
  /** With a problem, adding has stopped until `onRetry` is called. */
  | { step: 'adding'; sent: number; of: number; problem?: string; onRetry?(): void };

interface Work {
  items: readonly string[];
  /** The number of items that the shop has answered. */
  sent: number;
  /** The reports on them, added up. */
  report: Pick<InventoryReport, 'new' | 'known' | 'withdrawn'>;
  /** With a reason, withdrawn items go on sale again. */
  restoreReason?: string | undefined;
  /** If the response to a chunk was lost, the number of new items is unknown. */
  wasInterrupted?: boolean;
}

const newWork = (items: readonly string[]): Work => ({ items, sent: 0, report: { new: 0, known: 0, withdrawn: 0 } });

/**
 * Runs the steps of an upload in chunks: a dry run reports on the items, and then they are added. A failed chunk may be
 * sent again, because the server skips items that the shop already has. Added items stay if a later chunk fails.
 */
export function useInventoryUpload(productId: string, onDone: () => void) {
  const [upload, setUpload] = useState<Upload>({ step: 'entering' });
  const { show } = useToasts();
  const reloadDashboard = useReloadDashboard();
  const isShown = useIsShown();

  /** Sends the remaining items in chunks. Returns false if the dialog was closed meanwhile. */
  async function send(step: 'checking' | 'adding', work: Work) {
    const { items, report, restoreReason } = work;
    const showSent = () => setUpload({ step, sent: work.sent, of: items.length });
    showSent();
    while (work.sent < items.length && isShown.current) {
      const chunk = nextChunk(items, work.sent);
      const input = { params: { id: productId }, body: { items: chunk, dryRun: step === 'checking', restoreReason } };
      const { data } = await call('POST /digital-products/:id/inventory', input);
      work.sent += chunk.length;
      report.new += data.report.new;
      report.known += data.report.known;
      report.withdrawn += data.report.withdrawn;
      showSent();
    }
    return isShown.current;
  }

  async function check({ items, doubled, empty }: ReadItems) {
    const work = newWork(items);
    try {
      if (!(await send('checking', work))) return;
      const onAdd = (restoreReason?: string) => void add({ ...newWork(items), restoreReason });
      setUpload({ step: 'checked', report: { ...work.report, doubled, empty }, onAdd });
    } catch (failure) {
      refuse(messageOf(failure, FAILED));
    }
  }

  /** Adds the items after the report, or continues after a failure. */
  async function add(work: Work) {
    try {
      if (await send('adding', work)) finish(work);
      // The dialog was closed before the end: show the items that were added so far.
      else void reloadDashboard();
    } catch (failure) {
      work.wasInterrupted = true;
      const { sent, items } = work;
      const problem = messageOf(failure, FAILED);
      setUpload({ step: 'adding', sent, of: items.length, problem, onRetry: () => void add(work) });
      void reloadDashboard();
    }
  }

  function finish({ report, restoreReason, wasInterrupted }: Work) {
    const restored = restoreReason ? `, ${formatCount(report.withdrawn)} on sale again` : '';
    const counted = `${formatCount(report.new)} ${plural(report.new, 'item')} added${restored}`;
    show({ type: 'success', message: wasInterrupted ? 'All items added' : counted });
    setUpload({ step: 'entering' });
    void reloadDashboard();
    onDone();
  }

  const refuse = (problem: string) => setUpload({ step: 'entering', problem });
  return { upload, check, refuse, back: () => setUpload({ step: 'entering' }) };
}

/** Asks which column of a CSV has the keys; nothing for a list. */
export function CsvColumns({ file, onChange }: { file: ItemFile; onChange(table: ItemTable): void }) {
  const { table } = file;
  if (!table) return null;
  return (
    <fieldset className="grid gap-3 rounded-md border border-line p-4">
      <legend className="px-1 text-sm font-semibold wrap-anywhere">Columns of {file.name}</legend>
      <Checkbox checked={table.hasHeader} onChange={({ target }) => onChange({ ...table, hasHeader: target.checked })}>
        The first line names the columns
      </Checkbox>
      <Select
        label="Column with the keys"
        options={Object.fromEntries(columnNames(table).entries())}
        value={table.column}
        onChange={({ target }) => onChange({ ...table, column: Number(target.value) })}
      />
      <div className="grid gap-1.5">
        <p className="text-sm text-muted">First lines, masked</p>
        <ol aria-label="First lines" className="grid gap-1 rounded-md bg-sunken px-3.5 py-3 font-mono text-sm">
          {Object.entries(previewOf(file)).map(([place, masked]) => (
            <li key={place} className="break-all">
              {masked === '' ? '(empty)' : masked}
            </li>
          ))}
        </ol>
      </div>
    </fieldset>
  );
}

const reportRows = [
  ['new', 'New'],
  ['doubled', 'Duplicates in this upload'],
  ['known', 'Already known to the shop'],
  ['withdrawn', 'Withdrawn, never read'],
  ['empty', 'Empty lines'],
] as const;

type UploadReportProps = Extract<Upload, { step: 'checked' }> & { onBack(): void };

export function UploadReport({ report, onAdd, onBack }: UploadReportProps) {
  const [isRestoring, setIsRestoring] = useState(false);
  const { reason, check, field } = useReason();
  const count = report.new + (isRestoring ? report.withdrawn : 0);
  function add() {
    if (!isRestoring) onAdd();
    else if (check()) onAdd(reason);
  }
  return (
    <section className="grid gap-4">
      <FocusedHeading level="h3" className="text-lg">
        {report.new === 0 ? 'Nothing new to add' : 'Ready to add'}
      </FocusedHeading>
      <dl className="grid divide-y divide-line rounded-md border border-line">
        {reportRows.map(
          ([name, label]) =>
            (name !== 'withdrawn' || report.withdrawn > 0) && (
              <div key={name} className="flex justify-between gap-4 px-4 py-2.5">
                <dt className={name === 'new' ? 'font-semibold' : 'text-muted'}>{label}</dt>
                <dd className="tabular font-semibold">{formatCount(report[name])}</dd>
              </div>
            ),
        )}
      </dl>
      <p className="text-sm text-muted">Only the new ones are added; nothing has been written yet.</p>
      {report.withdrawn > 0 && (
        <fieldset className="grid gap-3 rounded-md border border-line p-4">
          <Checkbox
            checked={isRestoring}
            onChange={({ target }) => setIsRestoring(target.checked)}
            className="font-semibold">
            {report.withdrawn === 1
              ? 'Put the withdrawn item on sale again, as an item of this product'
              : `Put the ${formatCount(report.withdrawn)} withdrawn ones on sale again, as items of this product`}
          </Checkbox>
          {isRestoring && field}
        </fieldset>
      )}
      <div className="flex flex-wrap justify-end gap-3">
        <Button variant="secondary" onClick={onBack}>
          Back
        </Button>
        {count > 0 && <Button onClick={add}>{`Add ${formatCount(count)} ${plural(count, 'item')}`}</Button>}
      </div>
    </section>
  );
}

export function UploadProgress({ sent, of, problem, onRetry }: Extract<Upload, { step: 'adding' }>) {
  return (
    <section className="grid gap-4">
      <ProgressField
        value={sent}
        max={of}
        label={problem ? 'Adding has stopped' : 'Adding items'}
        error={problem}
        hint={`${formatCount(sent)} of ${formatCount(of)} sent. Items that were sent are stored, even if you close this dialog.`}
      />
      {onRetry && (
        <Button onClick={onRetry} className="justify-self-end">
          Try again
        </Button>
      )}
    </section>
  );
}
