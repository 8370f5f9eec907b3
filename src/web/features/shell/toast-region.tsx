import { onlineManager } from '@tanstack/react-query';
import { CircleAlert, CircleCheck, Info, type LucideIcon, TriangleAlert, X } from 'lucide-react';
import { type RefObject, useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { isolateNames } from '../../../shared/format.ts';
import { type ShownToast, useToasts } from '../../state/toasts.tsx';
import { Button, IconButton, keepFocus } from '../../ui/button.tsx';
import { Picture } from '../../ui/display.tsx';

function usePressed(): RefObject<Element | null> {
  const pressed = useRef<Element>(null);
  useEffect(() => {
    const notice = ({ target }: MouseEvent) => {
      pressed.current = target instanceof Element ? target.closest('button, a') : null;
    };
    document.addEventListener('click', notice, { capture: true });
    return () => document.removeEventListener('click', notice, { capture: true });
  }, []);
  return pressed;
}

/** Returns the area, in square pixels, that two elements have in common. */
function commonArea(one: Element, other: Element): number {
  const [a, b] = [one.getBoundingClientRect(), other.getBoundingClientRect()];
  const width = Math.min(a.right, b.right) - Math.max(a.left, b.left);
  const height = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
  return Math.max(0, width) * Math.max(0, height);
}

const OFFLINE = 'You are offline. Loading continues when you are connected again.';

/** Without a connection, queries wait for it, and a screen would seem to load for ever. */
function useOfflineToast(): void {
  const { toasts, show, close } = useToasts();
  const isOnline = useSyncExternalStore(onlineManager.subscribe, () => onlineManager.isOnline());
  const outdated = isOnline ? toasts.find(({ message }) => message === OFFLINE)?.id : undefined;
  useEffect(() => {
    if (!isOnline) show({ type: 'warning', message: OFFLINE, duration: 0 });
    else if (outdated !== undefined) close(outdated);
  }, [isOnline, outdated, show, close]);
}

/**
 * Everything outside of a modal is inert and not announced, so the region moves into the topmost modal. It moves before a
 * toast is shown, because screen readers announce only additions to an existing region.
 */
function useTopmost(region: RefObject<HTMLElement | null>, home: RefObject<HTMLElement | null>, latest?: string): void {
  useEffect(() => {
    const popover = region.current;
    if (popover === null) return;
    const place = () => {
      const modal = [...document.querySelectorAll('dialog:modal')].at(-1) ?? home.current;
      if (popover.parentElement !== modal) modal?.append(popover);
      if (!popover.matches(':popover-open')) popover.showPopover();
    };
    // Visible toasts stay in place, e.g. below a drawer that opens, until their modal is gone.
    const follow = () => {
      if (latest === undefined || !popover.parentElement?.matches('div, :modal')) place();
    };
    place();
    // A modal takes the focus when it opens, and so does a new screen.
    document.addEventListener('focusin', follow);
    document.addEventListener('close', follow, { capture: true });
    return () => {
      document.removeEventListener('focusin', follow);
      document.removeEventListener('close', follow, { capture: true });
    };
  }, [region, home, latest]);
}

/**
 * Toasts are at the bottom, unless they would cover more there of the button that was just pressed and may be pressed again,
 * and of an open dialog's buttons, e.g. those of its next step.
 */
function useFreePlace(region: RefObject<HTMLElement | null>, latest?: string): void {
  const pressed = usePressed();
  useEffect(() => {
    const popover = region.current;
    if (popover === null) return;
    const covered = (isAtTop: boolean) => {
      popover.toggleAttribute('data-at-top', isAtTop);
      return [pressed.current, ...document.querySelectorAll('dialog:modal button')].reduce(
        (sum, button) => sum + (button && !popover.contains(button) ? commonArea(popover, button) : 0),
        0,
      );
    };
    popover.toggleAttribute('data-at-top', covered(false) > covered(true));
  }, [region, latest, pressed]);
}

export function ToastRegion() {
  const { toasts, close } = useToasts();
  const home = useRef<HTMLDivElement>(null);
  const region = useRef<HTMLElement>(null);
  const focusedBefore = useRef<Element>(null);
  const latest = toasts.at(-1)?.id;
  useOfflineToast();
  useTopmost(region, home, latest);
  useFreePlace(region, latest);

  /** Closes a toast by one of its buttons. The focus moves to the next toast, or back to where it was before. */
  function dismiss(id: string) {
    const isByKeyboard = document.activeElement?.matches(':focus-visible');
    if (toasts.length === 1 && focusedBefore.current instanceof HTMLElement) {
      focusedBefore.current.focus({ preventScroll: !isByKeyboard });
    }
    close(id);
  }

  return (
    <div ref={home} className="contents">
      <section
        ref={region}
        popover="manual"
        aria-label="Notifications"
        onFocus={({ currentTarget, relatedTarget }) => {
          if (relatedTarget && !currentTarget.contains(relatedTarget)) focusedBefore.current = relatedTarget;
        }}
        className="pointer-events-none fixed inset-auto right-0 z-50 w-full overflow-visible bg-transparent p-3 not-data-at-top:bottom-16 data-at-top:top-16 sm:right-3 sm:w-96 sm:not-data-at-top:bottom-3 sm:data-at-top:top-18">
        <ol aria-live="polite" aria-relevant="additions" className="grid grid-cols-[minmax(0,1fr)] gap-2">
          {toasts.map((toast) => (
            <Toast key={toast.id} toast={toast} close={close} dismiss={dismiss} />
          ))}
        </ol>
      </section>
    </div>
  );
}

const looks: Record<ShownToast['type'], { icon: LucideIcon; colour: string; announced: string }> = {
  success: { icon: CircleCheck, colour: 'text-success', announced: 'Done' },
  error: { icon: CircleAlert, colour: 'text-danger', announced: 'Error' },
  warning: { icon: TriangleAlert, colour: 'text-warning', announced: 'Warning' },
  info: { icon: Info, colour: 'text-info', announced: 'Note' },
};

interface ToastProps {
  toast: ShownToast;
  close(id: string): void;
  dismiss(id: string): void;
}

export function Toast({ toast, close, dismiss }: ToastProps) {
  const { id, message, type, duration, product, action } = toast;
  const [isHeld, setIsHeld] = useState(false);
  const { icon: Icon, colour, announced } = looks[type];

  // The timer stops while a toast is pointed at, or focused by keyboard.
  useEffect(() => {
    if (isHeld || duration === 0) return;
    const timer = setTimeout(() => close(id), duration);
    return () => clearTimeout(timer);
  }, [isHeld, duration, id, close]);

  return (
    <li
      // Takes the focus from the button of a toast that is closed before it.
      tabIndex={-1}
      onPointerEnter={() => setIsHeld(true)}
      onPointerLeave={() => setIsHeld(false)}
      onFocus={({ target }) => target.matches(':focus-visible') && setIsHeld(true)}
      onBlur={() => setIsHeld(false)}
      className="pointer-events-auto transition-[opacity,translate] duration-(--motion-slow) ease-out starting:translate-y-3 starting:opacity-0 flex items-center gap-3 rounded-lg border border-line bg-raised py-2 pr-2 pl-3 text-sm text-ink shadow-float">
      {product ? (
        <Picture
          src={product.image}
          category={product.category}
          eager
          className="aspect-4/3 w-14 shrink-0 rounded-md"
        />
      ) : (
        <Icon aria-hidden className={`size-5 shrink-0 ${colour}`} />
      )}
      <p className="min-w-0 flex-1 py-1 wrap-anywhere">
        <span className="sr-only">{announced}: </span>
        {product && <bdi className="block truncate text-left font-semibold">{product.name}</bdi>}
        <span className={product ? `flex items-center gap-1 ${colour}` : ''}>
          {product && <Icon aria-hidden className="size-4 shrink-0" />}
          {isolateNames(message)}
        </span>
      </p>
      {action && (
        <Button
          size="sm"
          variant="secondary"
          onClick={() =>
            void keepFocus(() => {
              dismiss(id);
              action.onPress();
            })
          }>
          {action.label}
        </Button>
      )}
      <IconButton
        icon={X}
        iconClass="size-4"
        label="Close message"
        onClick={() => void keepFocus(() => dismiss(id))}
        className="size-9"
      />
    </li>
  );
}
