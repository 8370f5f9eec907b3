import { Check, Copy, Download } from 'lucide-react';
import { useState } from 'react';
import { Button, buttonClass } from './button.tsx';

interface CodeListProps {
  /** What the codes are; read out with the list. */
  label: string;
  codes: string[];
  copied: boolean;
  onCopy(): void;
  /** The codes as a file. */
  file: { name: string; url: string };
}

/** Codes that are shown this once, to be copied or downloaded. */
export function CodeList({ label, codes, copied, onCopy, file }: CodeListProps) {
  const [downloaded, setDownloaded] = useState(false);
  const CopyIcon = copied ? Check : Copy;
  const DownloadIcon = downloaded ? Check : Download;
  return (
    <div className="grid gap-3">
      <ol
        aria-label={label}
        className="grid grid-cols-[repeat(auto-fill,minmax(min(100%,16rem),1fr))] gap-x-6 gap-y-1.5 rounded-md bg-sunken px-3 py-4 text-sm sm:px-4">
        {codes.map((code) => (
          <li key={code}>
            <code className="font-mono break-all">{code}</code>
          </li>
        ))}
      </ol>
      <div className="flex flex-wrap gap-3">
        <Button variant="secondary" onClick={onCopy}>
          <CopyIcon aria-hidden className="size-5" />
          <span aria-live="polite">{copied ? 'Copied' : 'Copy'}</span>
          <span className="sr-only">{label}</span>
        </Button>
        <a
          href={file.url}
          download={file.name}
          onClick={() => setDownloaded(true)}
          className={buttonClass('secondary')}>
          <DownloadIcon aria-hidden className="size-5" />
          <span aria-live="polite">{downloaded ? 'Downloaded' : 'Download'}</span>
          <span className="sr-only">{label}</span>
        </a>
      </div>
    </div>
  );
}
