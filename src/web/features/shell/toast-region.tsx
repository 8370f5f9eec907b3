import { type RefObject, useEffect, useRef, useState } from 'react';
import { type Toast as Message, useToasts } from '../../state/toasts.tsx';
import { Toast } from '../../ui/toast.tsx';

/** The last pressed button or link. */
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

function overlaps(one: Element, other: Element): boolean {
  const [a, b] = [one.getBoundingClientRect(), other.getBoundingClientRect()];
  return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}

/** Shows and announces toasts, above everything that is open. */
export function ToastRegion() {
  const { toasts, close } = useToasts();
  const region = useRef<HTMLElement>(null);
  const pressed = usePressed();
  const latest = toasts.at(-1)?.id;

  // A popover that opened after a modal lies above it; one that was there before lies below.
  useEffect(() => {
    const popover = region.current;
    if (popover === null) return;
    const isCovered = latest !== undefined && document.querySelector('dialog:modal') !== null;
    if (isCovered && popover.matches(':popover-open')) popover.hidePopover();
    if (!popover.matches(':popover-open')) popover.showPopover();
    // At the bottom, unless that would cover what was just pressed and may be pressed again.
    popover.removeAttribute('data-at-top');
    const button = pressed.current;
    const isInTheWay = button !== null && !popover.contains(button) && overlaps(popover, button);
    popover.toggleAttribute('data-at-top', isInTheWay);
  }, [latest, pressed]);

  return (
    <section
      ref={region}
      popover="manual"
      aria-label="Notifications"
      className="pointer-events-none fixed inset-auto right-0 z-50 w-full overflow-visible bg-transparent p-3 not-data-at-top:bottom-16 data-at-top:top-16 sm:right-3 sm:w-96 sm:not-data-at-top:bottom-3 sm:data-at-top:top-18">
      <ol aria-live="polite" aria-relevant="additions" className="grid grid-cols-[minmax(0,1fr)] gap-2">
        {toasts.map((toast) => (
          <TimedToast key={toast.id} toast={toast} close={close} />
        ))}
      </ol>
    </section>
  );
}

function TimedToast({ toast, close }: { toast: Message; close(id: string): void }) {
  const { id, message, type, duration, product } = toast;
  const [isHeld, setIsHeld] = useState(false);

  // The timer stops while a toast is pointed at or focused.
  useEffect(() => {
    if (isHeld || duration === 0) return;
    const timer = setTimeout(() => close(id), duration);
    return () => clearTimeout(timer);
  }, [isHeld, duration, id, close]);

  return (
    <Toast
      type={type}
      message={message}
      product={product}
      onClose={() => close(id)}
      onPointerEnter={() => setIsHeld(true)}
      onPointerLeave={() => setIsHeld(false)}
      onFocus={() => setIsHeld(true)}
      onBlur={() => setIsHeld(false)}
    />
  );
}
