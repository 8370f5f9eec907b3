import type { ComponentProps } from 'react';
import { classNames } from './class-names.ts';
import { Spinner } from './spinner.tsx';

type Variant = 'primary' | 'secondary' | 'quiet' | 'danger';
type Size = 'sm' | 'md' | 'lg';

const variants: Record<Variant, string> = {
  primary: 'bg-accent text-on-accent hover:bg-accent-strong active:bg-accent-strong',
  secondary: 'border border-edge bg-surface text-ink hover:border-accent hover:text-accent-ink',
  quiet: 'text-ink hover:bg-accent-soft hover:text-accent-ink',
  danger: 'border border-danger text-danger hover:bg-danger-soft',
};

const sizes: Record<Size, string> = {
  sm: 'min-h-9 px-3 text-sm',
  md: 'min-h-11 px-4 text-base',
  lg: 'min-h-13 px-6 text-lg',
};

/** How a button looks, for links that look like one. */
export const buttonClass = (variant: Variant = 'primary', size: Size = 'md', className?: string) =>
  classNames(
    'inline-flex items-center justify-center gap-2 rounded-md font-semibold transition-colors select-none',
    'disabled:cursor-not-allowed disabled:border-transparent disabled:bg-sunken disabled:text-muted',
    variants[variant],
    sizes[size],
    className,
  );

interface ButtonProps extends ComponentProps<'button'> {
  variant?: Variant;
  size?: Size;
  /** Shows a spinner and takes no presses; stays focusable, so that a reader is not thrown off it. */
  loading?: boolean;
}

export function Button({
  variant,
  size,
  loading = false,
  className,
  children,
  onClick,
  ...rest
}: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      aria-disabled={loading || undefined}
      aria-busy={loading || undefined}
      onClick={loading ? (press) => press.preventDefault() : onClick}
      className={buttonClass(variant, size, classNames(loading && 'cursor-progress opacity-80', className))}
    >
      {loading && <Spinner />}
      {children}
    </button>
  );
}
