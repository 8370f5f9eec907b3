import { FileText, X } from 'lucide-react';
import { useState } from 'react';
import { formatCount, isolated, plural } from '../../../../shared/format.ts';
import { accountItem, accountLabels, readAccount } from '../../../../shared/item-text.ts';
import { call } from '../../../lib/api-client.ts';
import { Moment } from '../../../lib/moment.tsx';
import { Button, FileButton, IconButton } from '../../../ui/button.tsx';
import { useUnsavedWork } from '../../../ui/dialog.tsx';
import { Callout, Skeleton } from '../../../ui/display.tsx';
import { Form } from '../../../ui/form-page.tsx';
import { Checkbox, Field } from '../../../ui/input.tsx';
import { LoadFailureBanner } from '../../../ui/loading.tsx';
import { useSeenVersion, useTextForm } from '../action-dialog.tsx';
import { useAdminData } from '../dashboard.ts';
import { RevealDialog } from '../fresh-code-form.tsx';
import { ItemField } from './items.tsx';
import { FileProblem, type ItemFile, linesOf, readItemFile, readItems, withTable } from './read-items.ts';
import { CsvColumns, UploadProgress, UploadReport, useInventoryUpload } from './upload-steps.tsx';

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
  const { upload, check, refuse, back } = useInventoryUpload(productId, () => {
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

  if (upload.step === 'checked') return <UploadReport {...upload} onBack={back} />;
  if (upload.step === 'adding') return <UploadProgress {...upload} />;
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
      <AccountFields value={account} disabled={isChecking} onChange={setAccount} />
      <FileField value={file} disabled={isChecking} onChoose={(chosen) => void choose(chosen)} onChange={setFile} />
    </Form>
  );
}

const noAccount = { User: '', Password: '', Note: '' };

interface PartProps<Value> {
  value: Value;
  disabled: boolean;
  onChange(value: Value): void;
}

const AccountFields = ({ value: account, disabled, onChange }: PartProps<typeof noAccount>) => (
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

type FileFieldProps = PartProps<ItemFile | undefined> & { onChoose(chosen: File): void };

/** Chooses a file of items, and the columns of a table. */
const FileField = ({ value: file, disabled, onChoose, onChange }: FileFieldProps) => (
  <>
    <div className="flex min-h-11 flex-wrap items-center gap-x-4 gap-y-2">
      <FileButton
        icon={FileText}
        label="File of items"
        accept=".txt,.csv,text/plain,text/csv"
        variant="secondary"
        disabled={disabled}
        onChoose={onChoose}>
        {file ? 'Another file' : 'Add from a .txt or .csv file'}
      </FileButton>
      {file && (
        <span className="flex min-w-0 items-center gap-1 text-sm">
          <span className="min-w-0 break-all">
            <strong>{isolated(file.name)}</strong>, {formatCount(file.lines.length)} {plural(file.lines.length, 'line')}
          </span>
          <IconButton
            icon={X}
            label={`Leave out ${file.name}`}
            disabled={disabled}
            onClick={() => onChange(undefined)}
          />
        </span>
      )}
    </div>
    {file && <CsvColumns file={file} onChange={(table) => onChange(withTable(file, table))} />}
  </>
);

/** Sets the text or link that every buyer of a shared product gets. Reading it requires a fresh two-factor code. */
export function SharedContentForm({ productId: id, onDone }: { productId: string; onDone?(): void }) {
  const [isRevealing, setIsRevealing] = useState(false);
  const current = useAdminData(['content', id], () => call('GET /digital-products/:id/content', { params: { id } }));
  const { version, onFailure, saved } = useSeenVersion(current.data === null ? 0 : current.data?.version);
  const { field, form } = useTextForm({
    missing: 'Please enter the content',
    send: (content) => call('PUT /digital-products/:id/content', { params: { id }, body: { content, version } }),
    successMessage: 'The content is saved',
    errorMessage: 'The content could not be saved',
    onFailure,
    onDone: () => {
      saved();
      onDone?.();
    },
  });
  return (
    <div className="grid gap-4">
      {current.isPending ? (
        <Skeleton className="h-12" />
      ) : current.isLoadingError ? (
        <LoadFailureBanner message="Failed to load the content" query={current} />
      ) : current.data ? (
        <div className="flex flex-wrap items-center justify-between gap-3 rounded-md bg-sunken px-4 py-3">
          <p>
            Version {current.data.version}, since <Moment at={current.data.updatedAt} />
          </p>
          <Button variant="secondary" size="sm" onClick={() => setIsRevealing(true)}>
            Reveal
          </Button>
        </div>
      ) : (
        <Callout tone="warning">There is no content yet, so the product is out of stock.</Callout>
      )}
      {/* Without the version that is replaced, the change of another administrator could be overwritten. */}
      {version !== undefined && (
        <Form {...form} action="Save content" focused>
          <ItemField
            {...field}
            label={current.data ? 'New content' : 'Content'}
            rows={5}
            hint="A text or a link that every buyer gets. Earlier buyers keep what they have."
          />
        </Form>
      )}
      <RevealDialog
        title="Reveal content"
        isOpen={isRevealing}
        purpose="Reading the content"
        about={id}
        send={(body) => call('POST /digital-products/:id/content/reveal', { params: { id }, body })}
        errorMessage="Failed to reveal the content"
        reasonHint="Stored as you write it. Do not include the content itself."
        onClose={() => setIsRevealing(false)}>
        The content
      </RevealDialog>
    </div>
  );
}
