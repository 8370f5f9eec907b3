import { FileText, X } from 'lucide-react';
import { type FormEvent, useRef, useState } from 'react';
import { formatCount } from '../../../../shared/figures.ts';
import { Button } from '../../../ui/button.tsx';
import { useUnsavedWork } from '../../../ui/dialog.tsx';
import { IconButton } from '../../../ui/icon-button.tsx';
import { TextArea } from '../../../ui/text-area.tsx';
import { linesOf, linesOfFile, readItems } from './read-items.ts';
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

  useUnsavedWork(text.trim() !== '' || file !== undefined);

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
      <TextArea
        label="Inventory items"
        rows={7}
        value={text}
        onChange={({ target }) => setText(target.value)}
        disabled={isChecking}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        hint="One per line: a key, a licence, or user:password. Nothing is added before you have seen what it is."
        error={upload.step === 'entering' ? upload.problem : undefined}
        className="font-mono text-sm"
      />
      <FileChoice
        file={file}
        disabled={isChecking}
        onChoose={(chosen) => void choose(chosen)}
        onRemove={() => setFile(undefined)}
      />
      <Button type="submit" loading={isChecking} className="justify-self-end">
        {isChecking ? `Checking ${formatCount(upload.sent)} of ${formatCount(upload.of)}` : 'Check items'}
      </Button>
    </form>
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
        hidden
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
            {file.lines.length === 1 ? '1 line' : `${formatCount(file.lines.length)} lines`}
          </span>
          <IconButton label={`Leave out ${file.name}`} disabled={disabled} onClick={onRemove}>
            <X aria-hidden className="size-5" />
          </IconButton>
        </span>
      )}
    </div>
  );
}
