import { Check } from 'lucide-react';
import { classNames } from '../../ui/class-names.ts';

const steps = ['Get ready', 'Scan and keep', 'Verify'];

export function StepList({ current }: { current: number }) {
  return (
    <ol className="grid grid-cols-3 gap-2 text-sm">
      {steps.map((title, index) => (
        <li
          key={title}
          aria-current={index + 1 === current ? 'step' : undefined}
          className={classNames(
            'flex items-start gap-1.5 border-t-3 pt-2',
            index < current ? 'border-accent font-semibold' : 'border-line text-muted',
          )}
        >
          {index + 1 < current ? (
            <Check aria-hidden className="size-4 shrink-0 text-accent" />
          ) : (
            <span>{index + 1}.</span>
          )}
          {title}
        </li>
      ))}
    </ol>
  );
}
