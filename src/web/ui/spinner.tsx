import { classNames } from './class-names.ts';

/** A turning ring. Give it a label only where no words beside it say what is awaited. */
export function Spinner({ label, className }: { label?: string; className?: string }) {
  return (
    <span
      role={label ? 'status' : undefined}
      aria-hidden={label ? undefined : true}
      className={classNames(
        'inline-block shrink-0 [:where(&)]:size-[1.1em] animate-spin rounded-full border-2 border-current border-t-transparent motion-reduce:[animation-duration:3s]',
        className,
      )}
    >
      {label && <span className="sr-only">{label}</span>}
    </span>
  );
}
