import { FileText, X } from 'lucide-react';
import { useState } from 'react';
import { formatCount, plural } from '../../../../shared/format.ts';
import type { InventoryReport } from '../../../../shared/inventory.ts';
import { accountItem, accountLabels, readAccount } from '../../../../shared/item-text.ts';
import { Button, FileButton, IconButton } from '../../../ui/button.tsx';
import { useUnsavedWork } from '../../../ui/dialog.tsx';
import { FocusedHeading, Form } from '../../../ui/form-page.tsx';
import { Checkbox, Field, ProgressField } from '../../../ui/input.tsx';
import { useReason } from '../action-dialog.tsx';
import { CsvColumns } from './csv-columns.tsx';
import { ItemField } from './item-row.tsx';
import { FileProblem, type ItemFile, linesOf, readItemFile, readItems, withTable } from './read-items.ts';
import { type Upload, useInventoryUpload } from './use-inventory-upload.ts';

interface InventoryUploadProps {
  productId: string;
  /** Called when all items are added. It need not reload the dashboard. */
  onDone(): void;
  emptyMessage: string;
}

/** Adds items to a product, typed or from a file. A dry run first reports what would be added. */
export function InventoryUpload({ productId, onDone, emptyMessage }: InventoryUploadProps) {
  const [text, setText] = useState('');
  const [file, setFile] = useState<ItemFile>();
  const [isOneItem, setIsOneItem] = useState(false);
  const [account, setAccount] = useState(noAccount);
  const { upload, check, refuse, add, back } = useInventoryUpload(productId, () => {
    setText('');
    setFile(undefined);
    setAccount(noAccount);
    onDone();
  });

  const accountText = accountItem(account);
  useUnsavedWork(text.trim() !== '' || file !== undefined || accountText !== '');

  function submit() {
    if (accountText !== '' && readAccount(accountText) === null)
      return refuse('An account needs a user and a password');
    const typed = isOneItem && text !== '' ? [text] : linesOf(text);
    const accounts = accountText === '' ? [] : [accountText];
    const read = readItems([...typed, ...(file?.lines ?? []), ...accounts], emptyMessage);
    if ('problem' in read) refuse(read.problem);
    else void check(read);
  }

  async function choose(chosen: File) {
    try {
      setFile(await readItemFile(chosen));
      back();
    } catch (failure) {
      refuse(failure instanceof FileProblem ? failure.message : 'This file could not be read. Please try again.');
    }
  }

  if (upload.step === 'checked') return <UploadReport report={upload.report} onAdd={add} onBack={back} />;
  if (upload.step === 'adding') return <UploadProgress {...upload} onRetry={() => add()} />;
  const isChecking = upload.step === 'checking';
  return (
    <Form
      onSubmit={submit}
      isBusy={isChecking}
      focused
      action={isChecking ? `Checking ${formatCount(upload.sent)} of ${formatCount(upload.of)}` : 'Check items'}>
      <ItemField
        label="Inventory items"
        rows={7}
        value={text}
        onChange={({ target }) => setText(target.value)}
        disabled={isChecking}
        maxLength={undefined}
        hint="One per line: a key, a licence, or user:password. Nothing is added before you have seen what it is."
        error={upload.step === 'entering' ? upload.problem : undefined}
      />
      <Checkbox checked={isOneItem} disabled={isChecking} onChange={({ target }) => setIsOneItem(target.checked)}>
        All lines together are one item
      </Checkbox>
      <AccountFields account={account} disabled={isChecking} onChange={setAccount} />
      <div className="flex min-h-11 flex-wrap items-center gap-x-4 gap-y-2">
        <FileButton
          icon={FileText}
          label="File of items"
          accept=".txt,.csv,text/plain,text/csv"
          variant="secondary"
          disabled={isChecking}
          onChoose={(chosen) => void choose(chosen)}>
          {file ? 'Another file' : 'Add from a .txt or .csv file'}
        </FileButton>
        {file && (
          <span className="flex min-w-0 items-center gap-1 text-sm">
            <span className="min-w-0 break-all">
              <strong>{file.name}</strong>, {formatCount(file.lines.length)} {plural(file.lines.length, 'line')}
            </span>
            <IconButton
              icon={X}
              label={`Leave out ${file.name}`}
              disabled={isChecking}
              onClick={() => setFile(undefined)}
            />
          </span>
        )}
      </div>
      {file?.table && (
        <CsvColumns file={file} table={file.table} onChange={(table) => setFile(withTable(file, table))} />
      )}
    </Form>
  );
}

const noAccount = { User: '', Password: '', Note: '' };

interface AccountFieldsProps {
  account: typeof noAccount;
  disabled: boolean;
  onChange(account: typeof noAccount): void;
}

/** The fields of an account, which its buyer copies one by one. */
function AccountFields({ account, disabled, onChange }: AccountFieldsProps) {
  return (
    <details className="rounded-md border border-line px-4 py-3">
      <summary className="cursor-pointer font-semibold pointer-coarse:py-3">Add an account</summary>
      <div className="grid gap-3 pt-3">
        {accountLabels.map((label) => (
          <Field
            key={label}
            label={label}
            optional={label === 'Note'}
            maxLength={1_000}
            value={account[label]}
            disabled={disabled}
            autoComplete="off"
            onChange={({ target }) => onChange({ ...account, [label]: target.value })}
          />
        ))}
        <p className="text-sm text-muted">One item with a line for each; its buyer sees them as fields.</p>
      </div>
    </details>
  );
}

const reportRows = [
  ['new', 'New'],
  ['doubled', 'Doubled in this upload'],
  ['known', 'Already known to the shop'],
  ['withdrawn', 'Withdrawn, never read'],
  ['empty', 'Empty lines'],
] as const;

interface UploadReportProps {
  report: InventoryReport;
  /** With a reason, the withdrawn items are put on sale again, too. */
  onAdd(restoreReason?: string): void;
  onBack(): void;
}

/** The result of the dry run: nothing is written yet. */
function UploadReport({ report, onAdd, onBack }: UploadReportProps) {
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

type UploadProgressProps = Extract<Upload, { step: 'adding' }> & { onRetry(): void };

function UploadProgress({ sent, of, problem, onRetry }: UploadProgressProps) {
  return (
    <section className="grid gap-4">
      <ProgressField
        value={sent}
        max={of}
        label={problem ? 'Adding has stopped' : 'Adding items'}
        error={problem}
        hint={`${formatCount(sent)} of ${formatCount(of)} sent. Items that were sent are stored, even if you close this dialog.`}
      />
      {problem && (
        <Button onClick={onRetry} className="justify-self-end">
          Try again
        </Button>
      )}
    </section>
  );
}
