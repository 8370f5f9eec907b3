import { CircleAlert } from 'lucide-react';
import { useId } from 'react';
import { formatCount } from '../../../../shared/figures.ts';
import { Button } from '../../../ui/button.tsx';
import { classNames } from '../../../ui/class-names.ts';

// Chromium and Safari draw the bar as two parts of their own, Firefox as one.
const barClass = classNames(
  'h-3 w-full appearance-none overflow-hidden rounded-full bg-sunken',
  '[&::-moz-progress-bar]:bg-accent [&::-webkit-progress-bar]:bg-sunken [&::-webkit-progress-value]:bg-accent',
);

interface UploadProgressProps {
  sent: number;
  of: number;
  /** It stands still; `onRetry` goes on from there. */
  problem?: string;
  onRetry(): void;
}

export function UploadProgress({ sent, of, problem, onRetry }: UploadProgressProps) {
  const id = useId();
  return (
    <section className="grid gap-4">
      <div className="grid gap-2">
        <label htmlFor={id} className="font-semibold">
          {problem ? 'Adding has stopped' : 'Adding items'}
        </label>
        <progress id={id} value={sent} max={of} className={barClass} />
        <p className="tabular text-sm text-muted">
          {formatCount(sent)} of {formatCount(of)} sent. What was sent is safe, even if you close this.
        </p>
      </div>
      {problem && (
        <>
          <p role="alert" className="flex items-start gap-1.5 text-sm text-danger">
            <CircleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
            {problem}
          </p>
          <Button onClick={onRetry} className="justify-self-end">
            Try again
          </Button>
        </>
      )}
    </section>
  );
}
