import { type LucideIcon, Minus, Plus } from 'lucide-react';
import { type ComponentProps, useRef } from 'react';
import { Link } from 'react-router';
import { classNames } from './display.tsx';

type Variant = 'primary' | 'secondary' | 'quiet' | 'danger';
type Size = 'sm' | 'md' | 'lg';

const variants: Record<Variant, string> = {
  primary: 'bg-accent text-on-accent forced-colors:border hover:bg-accent-strong active:bg-accent-strong',
  secondary: 'border border-edge bg-surface text-ink hover:border-accent hover:text-accent-ink',
  quiet: 'text-ink hover:bg-accent-soft hover:text-accent-ink',
  danger: 'border border-danger text-danger hover:bg-danger-soft',
};

const sizes: Record<Size, string> = {
  sm: 'min-h-9 px-3 text-sm pointer-coarse:min-h-11',
  md: 'min-h-11 px-4 text-base',
  lg: 'min-h-13 px-6 text-lg',
};

export const buttonClass = (variant: Variant = 'primary', size: Size = 'md', className?: string) =>
  classNames(
    'inline-flex items-center justify-center gap-2 rounded-md font-semibold transition-colors select-none print:hidden',
    'disabled:cursor-not-allowed disabled:border-transparent disabled:bg-sunken disabled:text-muted',
    variants[variant],
    sizes[size],
    className,
  );

interface ButtonProps extends ComponentProps<'button'> {
  variant?: Variant;
  size?: Size;
  icon?: LucideIcon;
  /** Shows a spinner and ignores presses; stays focusable, so that the focus is not lost. */
  loading?: boolean;
}

const iconOf = (Icon: LucideIcon | undefined, size: Size | undefined) =>
  Icon && <Icon aria-hidden className={size === 'sm' ? 'size-4' : 'size-5'} />;

export function Button({ variant, size, icon, loading = false, className, children, onClick, ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      aria-disabled={loading || undefined}
      aria-busy={loading || undefined}
      onClick={loading ? (press) => press.preventDefault() : onClick}
      className={buttonClass(variant, size, classNames(loading && 'cursor-progress opacity-80', className))}>
      {loading ? <Spinner /> : iconOf(icon, size)}
      {children}
    </button>
  );
}

export function ButtonLink(props: ComponentProps<typeof Link> & Pick<ButtonProps, 'variant' | 'size' | 'icon'>) {
  const { variant, size, icon, className, children, ...link } = props;
  return (
    <Link {...link} className={buttonClass(variant, size, className)}>
      {iconOf(icon, size)}
      {children}
    </Link>
  );
}

interface FileButtonProps extends Omit<ButtonProps, 'onClick'> {
  /** The accessible name of the input, which is not shown. */
  label: string;
  accept: string;
  onChoose(file: File): void;
}

export function FileButton({ label, accept, onChoose, ...button }: FileButtonProps) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <Button {...button} onClick={() => input.current?.click()} />
      <input
        ref={input}
        type="file"
        hidden
        aria-label={label}
        accept={accept}
        disabled={button.disabled}
        onChange={({ target }) => {
          const [file] = target.files ?? [];
          // Otherwise choosing the same file again would fire no change event.
          target.value = '';
          if (file) onChoose(file);
        }}
      />
    </>
  );
}

export const iconButtonClass = (className?: string) =>
  classNames(
    'relative inline-grid size-11 shrink-0 place-items-center rounded-md text-ink transition-colors print:hidden',
    'hover:bg-accent-soft hover:text-accent-ink disabled:cursor-not-allowed disabled:text-muted disabled:hover:bg-transparent',
    className,
  );

interface IconOnlyProps {
  icon: LucideIcon;
  iconClass?: string;
  /** The accessible name and the tooltip. */
  label: string;
}

export function IconButton(props: ComponentProps<'button'> & IconOnlyProps) {
  const { icon: Icon, iconClass = 'size-5', label, className, children, ...button } = props;
  return (
    <button type="button" title={label} aria-label={label} {...button} className={iconButtonClass(className)}>
      <Icon aria-hidden className={iconClass} />
      {children}
    </button>
  );
}

export function IconLink(props: Omit<ComponentProps<typeof Link>, 'children'> & IconOnlyProps) {
  const { icon: Icon, iconClass = 'size-5', label, className, ...link } = props;
  return (
    <Link {...link} title={label} aria-label={label} className={iconButtonClass(className)}>
      <Icon aria-hidden className={iconClass} />
    </Link>
  );
}

/** A turning ring. It needs a label only where no text beside it says what is loading. */
export function Spinner({ label, className }: { label?: string; className?: string }) {
  return (
    <span
      role={label ? 'status' : undefined}
      aria-hidden={label ? undefined : true}
      className={classNames(
        'inline-block shrink-0 [:where(&)]:size-[1.1em] animate-spin rounded-full border-2 border-current border-t-transparent motion-reduce:[animation-duration:3s]',
        className,
      )}>
      {label && <span className="sr-only">{label}</span>}
    </span>
  );
}

interface QuantityStepperProps {
  quantity: number;
  of: string;
  onChange(quantity: number): void;
}

/** Minus, the number, plus. Minus stays focusable at 1 and does nothing there. */
export function QuantityStepper({ quantity, of, onChange }: QuantityStepperProps) {
  return (
    <div className="inline-flex items-center rounded-md border border-edge">
      <IconButton
        icon={Minus}
        iconClass="size-4"
        label={`Decrease quantity of ${of}`}
        aria-disabled={quantity <= 1}
        onClick={() => quantity > 1 && onChange(quantity - 1)}
        className="aria-disabled:cursor-not-allowed aria-disabled:text-muted"
      />
      <output aria-live="polite" className="tabular min-w-8 text-center font-semibold">
        <span className="sr-only">Quantity </span>
        {quantity}
      </output>
      <IconButton
        icon={Plus}
        iconClass="size-4"
        label={`Increase quantity of ${of}`}
        onClick={() => onChange(quantity + 1)}
      />
    </div>
  );
}

/** Does work that may remove the pressed button, and then moves a lost focus as `rememberFocus` does. */
export async function keepFocus(work: () => unknown): Promise<void> {
  const restoreFocus = rememberFocus();
  await work();
  restoreFocus();
}

/**
 * Remembers the focused element. Call the returned function after an action that may have removed or disabled that
 * element. If the focus is lost, it moves to the nearest remaining part of the page; in a list, to the next entry. The
 * page scrolls there only for a user of the keyboard, who would not see the focus otherwise.
 */
export function rememberFocus(): () => void {
  const parts: Element[] = [];
  const isByKeyboard = document.activeElement?.matches(':focus-visible');
  const dialog = document.activeElement?.closest('dialog');
  for (let part = document.activeElement; part !== null; part = part.parentElement) {
    parts.push(part);
    const neighbours = part.matches('li') ? [part.nextElementSibling, part.previousElementSibling] : [];
    parts.push(...neighbours.filter((entry) => entry !== null));
  }
  function restore() {
    // A disabled element loses the focus only some time after it was disabled.
    if (document.activeElement?.matches('body, :disabled') === false) return;
    // A dialog that was closed meanwhile returns the focus itself, to where it was opened.
    if (dialog && !dialog.open) return;
    const target = parts.map(focusTargetIn).find((found) => found !== undefined);
    if (target === undefined) return;
    if (!target.hasAttribute('tabindex')) target.tabIndex = -1;
    target.focus({ preventScroll: true });
    if (isByKeyboard) target.scrollIntoView({ block: 'nearest' });
  }
  // Waits for the next frame: then the result of the action is rendered.
  return () => requestAnimationFrame(() => setTimeout(restore));
}

// A closed dialog is still visible while it fades.
const isShown = (element: HTMLElement) => element.checkVisibility() && !element.closest('dialog:not([open])');

function focusTargetIn(part: Element): HTMLElement | undefined {
  const candidates = part.matches('[tabindex]') ? [part] : [...part.querySelectorAll('h1, h2, h3')];
  return (candidates as HTMLElement[]).find(isShown);
}
