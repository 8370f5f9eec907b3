import type { ComponentProps } from 'react';
import { classNames } from './class-names.ts';

export const iconButtonClass = (className?: string) =>
  classNames(
    'relative inline-grid size-11 shrink-0 place-items-center rounded-md text-ink transition-colors',
    'hover:bg-accent-soft hover:text-accent-ink disabled:cursor-not-allowed disabled:text-muted disabled:hover:bg-transparent',
    className,
  );

/** A button that is only a picture; `label` is its name and its tooltip. */
export function IconButton({ label, className, ...rest }: ComponentProps<'button'> & { label: string }) {
  return (
    <button type="button" title={label} aria-label={label} {...rest} className={iconButtonClass(className)} />
  );
}
