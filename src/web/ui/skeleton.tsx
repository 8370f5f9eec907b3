import { classNames } from './class-names.ts';

/** The place of something that is still on its way; its size comes from the class name. */
export function Skeleton({ className }: { className?: string }) {
  return (
    <div
      aria-hidden
      className={classNames('animate-pulse rounded-md bg-line motion-reduce:animate-none', className)}
    />
  );
}
