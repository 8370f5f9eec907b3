import { FileText, X } from 'lucide-react';
import { type FormEvent, useId, useRef, useState } from 'react';
import { Button } from '../../../ui/button.tsx';
import { describedBy, FieldFrame, inputClass } from '../../../ui/field.tsx';
import { IconButton } from '../../../ui/icon-button.tsx';
import { count, linesOf, linesOfFile, readItems } from './read-items.ts';
import { UploadProgress } from './upload-progress.tsx';
import { UploadReport } from './upload-report.tsx';
import { useInventoryUpload } from './use-inventory-upload.ts';

interface InventoryUploadProps {
  productId: string;
  /** All of it has been added; the dashboard reloads by itself. */
  onDone(): void;
  /** Said when there is nothing to add. */
  whenEmpty?: string;
}

interface ChosenFile {
  name: string;
  lines: string[];
}

/** Adds secrets to a product: typed, pasted or from a file; first tried, then added. */
export function InventoryUpload({
  productId,
  onDone,
  whenEmpty = 'Please add at least one inventory item',
}: InventoryUploadProps) {
  const [text, setText] = useState('');
  const [file, setFile] = useState<ChosenFile>();
  const { upload, check, refuse, add, back } = useInventoryUpload(productId, () => {
    setText('');
    setFile(undefined);
    onDone();
  });

  function submit(event: FormEvent) {
    event.preventDefault();
    const read = readItems([...linesOf(text), ...(file?.lines ?? [])], whenEmpty);
    if ('problem' in read) refuse(read.problem);
    else void check(read);
  }

  async function choose(chosen: File) {
    try {
      setFile({ name: chosen.name, lines: await linesOfFile(chosen) });
      back();
    } catch {
      refuse('This file could not be read. Please save it as text in UTF-8.');
    }
  }

  if (upload.step === 'checked') return <UploadReport report={upload.report} onAdd={add} onBack={back} />;
  if (upload.step === 'adding') return <UploadProgress {...upload} onRetry={add} />;
  const isChecking = upload.step === 'checking';
  return (
    <form noValidate onSubmit={submit} className="grid gap-4">
      <ItemsField
        text={text}
        onChange={setText}
        disabled={isChecking}
        error={upload.step === 'entering' ? upload.problem : undefined}
      />
      <FileChoice
        file={file}
        disabled={isChecking}
        onChoose={(chosen) => void choose(chosen)}
        onRemove={() => setFile(undefined)}
      />
      <Button type="submit" loading={isChecking} className="justify-self-end">
        {isChecking ? `Checking ${count(upload.sent)} of ${count(upload.of)}` : 'Check items'}
      </Button>
    </form>
  );
}

interface ItemsFieldProps {
  text: string;
  onChange(text: string): void;
  disabled: boolean;
  error: string | undefined;
}

function ItemsField({ text, onChange, disabled, error }: ItemsFieldProps) {
  const id = useId();
  const hint =
    'One per line: a key, a licence, or user:password. Nothing is added before you have seen what it is.';
  return (
    <FieldFrame id={id} label="Inventory items" hint={hint} error={error}>
      <textarea
        id={id}
        rows={7}
        value={text}
        onChange={({ target }) => onChange(target.value)}
        disabled={disabled}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        aria-invalid={error ? true : undefined}
        aria-describedby={describedBy(id, hint, error)}
        className={inputClass('min-h-40 resize-y py-2.5 font-mono text-sm')}
      />
    </FieldFrame>
  );
}

interface FileChoiceProps {
  file: ChosenFile | undefined;
  disabled: boolean;
  onChoose(file: File): void;
  onRemove(): void;
}

function FileChoice({ file, disabled, onChoose, onRemove }: FileChoiceProps) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <div className="flex min-h-11 flex-wrap items-center gap-x-4 gap-y-2">
      <input
        ref={input}
        type="file"
        accept=".txt,.csv,text/plain,text/csv"
        aria-label="File of items"
        className="sr-only"
        tabIndex={-1}
        disabled={disabled}
        onChange={({ target }) => {
          const [chosen] = target.files ?? [];
          // Empty again, so that the same file can be chosen anew.
          if (chosen) onChoose(chosen);
          target.value = '';
        }}
      />
      <Button variant="secondary" disabled={disabled} onClick={() => input.current?.click()}>
        <FileText aria-hidden className="size-5" />
        {file ? 'Another file' : 'Add from a .txt or .csv file'}
      </Button>
      {file && (
        <span className="flex min-w-0 items-center gap-1 text-sm">
          <span className="min-w-0 break-all">
            <strong>{file.name}</strong>,{' '}
            {file.lines.length === 1 ? '1 line' : `${count(file.lines.length)} lines`}
          </span>
          <IconButton label={`Leave out ${file.name}`} disabled={disabled} onClick={onRemove}>
            <X aria-hidden className="size-5" />
          </IconButton>
        </span>
      )}
    </div>
  );
}
