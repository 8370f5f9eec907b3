import { Check, Copy, Download } from 'lucide-react';
import { type ComponentProps, useEffect, useState } from 'react';
import { Button, buttonClass } from './button.tsx';

/** A value that is undefined again after `ms`. Setting the same value again restarts the time. */
export function useBriefly<T>(ms: number): [T | undefined, (value: T | undefined) => void] {
  const [shown, setShown] = useState<{ value: T | undefined }>();
  useEffect(() => {
    if (shown === undefined) return;
    const timer = setTimeout(() => setShown(undefined), ms);
    return () => clearTimeout(timer);
  }, [shown, ms]);
  return [shown?.value, (value) => setShown({ value })];
}

/** Copies text; `copied` is true for two seconds afterwards, and stays false if the browser refuses. */
export function useCopy() {
  const [copied = false, setCopied] = useBriefly<boolean>(2000);
  async function copy(text: string) {
    try {
      await navigator.clipboard.writeText(text);
      setCopied(true);
    } catch {
      setCopied(false);
    }
  }
  return { copied, copy };
}

interface CopyButtonProps extends Omit<ComponentProps<typeof Button>, 'children' | 'onClick' | 'variant'> {
  text: string;
  label?: string;
}

export function CopyButton({ text, label, ...button }: CopyButtonProps) {
  const { copied, copy } = useCopy();
  return (
    <Button {...button} icon={copied ? Check : Copy} variant="secondary" onClick={() => void copy(text)}>
      <span aria-live="polite">{copied ? 'Copied' : 'Copy'}</span>
      {label && <span className="sr-only">{label}</span>}
    </Button>
  );
}

export function BackupCodes({ codes, file }: { codes: string[]; file: { name: string; text: string } }) {
  const [downloaded, setDownloaded] = useState(false);
  const Icon = downloaded ? Check : Download;
  return (
    <div className="grid gap-3">
      <ol
        aria-label="Backup codes"
        className="grid grid-cols-[repeat(auto-fill,minmax(min(100%,16rem),1fr))] gap-x-6 gap-y-1.5 rounded-md bg-sunken px-3 py-4 text-sm sm:px-4">
        {codes.map((code) => (
          <li key={code}>
            <code className="font-mono break-all">{code}</code>
          </li>
        ))}
      </ol>
      <div className="flex flex-wrap gap-3">
        <CopyButton text={codes.join('\n')} label="Backup codes" />
        <a
          href={`data:text/plain;charset=utf-8,${encodeURIComponent(file.text)}`}
          download={file.name}
          onClick={() => setDownloaded(true)}
          className={buttonClass('secondary')}>
          <Icon aria-hidden className="size-5" />
          <span aria-live="polite">{downloaded ? 'Downloaded' : 'Download'}</span>
          <span className="sr-only">Backup codes</span>
        </a>
      </div>
    </div>
  );
}
