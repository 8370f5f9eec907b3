import { ChevronDown, CircleAlert } from 'lucide-react';
import {
  type ComponentProps,
  type ReactNode,
  type RefObject,
  useEffect,
  useId,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react';
import { classNames } from './display.tsx';

export const inputClass = (className?: string) =>
  classNames(
    // The scroll margin keeps the label in view, below the header, when the browser scrolls to the focused input.
    'min-h-11 w-full scroll-mt-8 rounded-md border border-edge bg-surface px-3.5 text-base text-ellipsis text-ink placeholder:text-muted',
    'transition-colors hover:border-accent focus-visible:border-accent focus-visible:outline-offset-0',
    'aria-invalid:border-danger aria-invalid:outline-danger',
    'disabled:cursor-not-allowed disabled:bg-sunken disabled:text-muted',
    className,
  );

export interface FrameProps {
  label: ReactNode;
  hint?: ReactNode;
  error?: string | undefined;
  optional?: boolean | undefined;
}

/** Returns the ids of the error and hint of a frame, for its control's `aria-describedby`. */
export const describedBy = (id: string, hint: ReactNode, error: string | undefined) =>
  classNames(error && `${id}-error`, hint !== undefined && `${id}-hint`) || undefined;

type Control = Pick<ComponentProps<'input'>, 'id' | 'aria-invalid' | 'aria-describedby'>;

interface FieldFrameProps extends FrameProps {
  id?: string | undefined;
  children: ReactNode | ((control: Control) => ReactNode);
}

/** Puts a label above a control, and error and hint below it. See `useFieldError` for when the error shows. */
export function FieldFrame({ id: givenId, label, hint, error, optional = false, children }: FieldFrameProps) {
  const frame = useRef<HTMLDivElement>(null);
  const shown = useFieldError(error, frame);
  const ownId = useId();
  const id = givenId ?? ownId;
  const control = { id, 'aria-invalid': error ? true : undefined, 'aria-describedby': describedBy(id, hint, error) };
  return (
    <div ref={frame} className="grid grid-cols-1 gap-1.5 print:hidden">
      <label htmlFor={id} className="text-sm font-semibold">
        {label}
        {optional && <span className="font-normal text-muted"> (optional)</span>}
      </label>
      {typeof children === 'function' ? children(control) : children}
      {shown && <FieldError id={id}>{shown}</FieldError>}
      {hint !== undefined && (
        <p id={`${id}-hint`} className="text-sm text-muted">
          {hint}
        </p>
      )}
    </div>
  );
}

export const FieldError = ({ id, children }: { id: string; children: string }) => (
  <p id={`${id}-error`} role="alert" className="flex items-start gap-1.5 text-sm text-danger">
    <CircleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
    {children}
  </p>
);

interface SelectProps extends ComponentProps<'select'>, Pick<FrameProps, 'hint' | 'error'> {
  label: string;
  labelHidden?: boolean;
  /** The label of the first option, whose value is empty. */
  none?: string;
  /** The options above the children: values, labels by value, or the values of a group by the group's label. */
  options?: readonly string[] | Record<string, string | readonly string[]>;
}

type Options = NonNullable<SelectProps['options']>;

const isList = (options: Options): options is readonly string[] => Array.isArray(options);

const optionsOf = (options: Options): ReactNode =>
  (isList(options) ? options.map((value) => [value, value] as const) : Object.entries(options)).map(([name, option]) =>
    typeof option === 'string' ? (
      <option key={name} value={name}>
        {option}
      </option>
    ) : (
      <optgroup key={name} label={name}>
        {optionsOf(option)}
      </optgroup>
    ),
  );

/** The browser's own select, which every phone and screen reader knows. */
export function Select({ label, labelHidden = false, hint, error, className, ...props }: SelectProps) {
  const { none, options = [], children, ...select } = props;
  const box = (control?: Control) => (
    <div className={classNames('relative', labelHidden && className)}>
      <select
        {...select}
        {...control}
        aria-label={labelHidden ? label : undefined}
        className={inputClass('appearance-none peer pr-8 font-medium')}>
        {none !== undefined && <option value="">{none}</option>}
        {optionsOf(options)}
        {children}
      </select>
      {/* A long value fades out below the arrow in browsers that draw it in one line. */}
      <span className="pointer-events-none absolute inset-y-0.5 right-0.5 grid w-10 items-center justify-items-end rounded-r-md bg-linear-to-r from-transparent to-surface to-20% pr-2.5 supports-[appearance:base-select]:bg-none peer-disabled:to-sunken">
        <ChevronDown aria-hidden className="size-5 text-muted" />
      </span>
    </div>
  );
  if (labelHidden) return box();
  return (
    <FieldFrame id={select.id} label={label} hint={hint} error={error}>
      {box}
    </FieldFrame>
  );
}

// An error that appears on blur moves the content below it. Between mousedown and mouseup, the click would then hit
// something else, so errors wait for the release of the mouse button.
let isPressed = false;
let submitted: HTMLFormElement | null = null;
const listeners = new Set<() => void>();

/**
 * Returns the error that a field shows, which does not change while the mouse button is down. If a submit causes the
 * error, by validation or by the server's response, the first invalid field of the form gets the focus.
 */
export function useFieldError(error: string | undefined, frame: RefObject<HTMLElement | null>) {
  const isHeld = useSyncExternalStore(subscribe, () => isPressed);
  const [last, setLast] = useState(error);
  if (!isHeld && last !== error) setLast(error);
  const shown = isHeld ? last : error;
  useEffect(() => {
    if (shown && submitted?.contains(frame.current)) focusFirstInvalidField();
  }, [shown, frame]);
  return shown;
}

function setPressed(value: boolean) {
  if (isPressed === value) return;
  isPressed = value;
  for (const listener of listeners) listener();
}

const events: { [Name in keyof WindowEventMap]?: (event: WindowEventMap[Name]) => void } = {
  mousedown: ({ button }) => setPressed(button === 0),
  // The click event follows in the same task, so the release counts from the next task on.
  pointerup: () => setTimeout(() => setPressed(false)),
  mouseup: () => setTimeout(() => setPressed(false)),
  // The release may have happened in a menu, a drag or another window.
  pointermove: ({ buttons }) => buttons === 0 && setPressed(false),
  // The blur events of fields also reach this capturing listener.
  blur: ({ target }) => target === window && setPressed(false),
  pointerdown: () => {
    submitted = null;
  },
  keydown: () => {
    submitted = null;
    setPressed(false);
  },
  submit: ({ target }) => {
    submitted = target as HTMLFormElement;
    // The effect above does not run for an error that is already shown.
    setTimeout(focusFirstInvalidField);
  },
};

for (const [name, handler] of Object.entries(events)) window.addEventListener(name, handler as () => void, true);

function subscribe(listener: () => void) {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** Focuses the first invalid field of the form that was submitted last, unless the user has pressed something since. */
function focusFirstInvalidField() {
  submitted?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
}
