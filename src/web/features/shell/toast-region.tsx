import { CircleAlert, CircleCheck, Info, type LucideIcon, TriangleAlert, X } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { type Toast, useToasts } from '../../state/toasts.tsx';
import { IconButton } from '../../ui/icon-button.tsx';

const looks: Record<Toast['type'], { icon: LucideIcon; colour: string; said: string }> = {
  success: { icon: CircleCheck, colour: 'text-success', said: 'Done' },
  error: { icon: CircleAlert, colour: 'text-danger', said: 'Error' },
  warning: { icon: TriangleAlert, colour: 'text-warning', said: 'Warning' },
  info: { icon: Info, colour: 'text-info', said: 'Note' },
};

/** Shows and announces toasts, above everything that is open. */
export function ToastRegion() {
  const { toasts, close } = useToasts();
  const region = useRef<HTMLElement>(null);
  const latest = toasts.at(-1)?.id;

  // A popover that opened after a modal lies above it; one that was there before lies below.
  useEffect(() => {
    const popover = region.current;
    if (popover === null) return;
    const isCovered = latest !== undefined && document.querySelector('dialog:modal') !== null;
    if (isCovered && popover.matches(':popover-open')) popover.hidePopover();
    if (!popover.matches(':popover-open')) popover.showPopover();
  }, [latest]);

  return (
    <section
      ref={region}
      popover="manual"
      aria-label="Notifications"
      className="pointer-events-none fixed inset-auto right-0 bottom-16 z-50 w-full overflow-visible bg-transparent p-3 sm:right-3 sm:bottom-3 sm:w-96"
    >
      <ol aria-live="polite" aria-relevant="additions" className="grid grid-cols-[minmax(0,1fr)] gap-2">
        {toasts.map((toast) => (
          <ToastCard key={toast.id} toast={toast} close={close} />
        ))}
      </ol>
    </section>
  );
}

function ToastCard({ toast, close }: { toast: Toast; close(id: string): void }) {
  const { id, message, type, duration, product } = toast;
  const { icon: Icon, colour, said } = looks[type];
  const [isHeld, setIsHeld] = useState(false);

  // Whoever points at it or is about to close it gets the time to read.
  useEffect(() => {
    if (isHeld || duration === 0) return;
    const timer = setTimeout(() => close(id), duration);
    return () => clearTimeout(timer);
  }, [isHeld, duration, id, close]);

  return (
    <li
      onPointerEnter={() => setIsHeld(true)}
      onPointerLeave={() => setIsHeld(false)}
      onFocus={() => setIsHeld(true)}
      onBlur={() => setIsHeld(false)}
      className="toast pointer-events-auto flex items-center gap-3 rounded-lg border border-line bg-raised py-2 pr-2 pl-3 text-sm text-ink shadow-float"
    >
      {product ? (
        <img src={product.image} alt="" className="size-11 shrink-0 rounded-md bg-sunken object-cover" />
      ) : (
        <Icon aria-hidden className={`size-5 shrink-0 ${colour}`} />
      )}
      <p className="min-w-0 flex-1 py-1">
        <span className="sr-only">{said}: </span>
        {product && <span className="block truncate font-semibold">{product.name}</span>}
        <span className={product ? `flex items-center gap-1 ${colour}` : ''}>
          {product && <Icon aria-hidden className="size-4 shrink-0" />}
          {message}
        </span>
      </p>
      <IconButton label="Close message" onClick={() => close(id)} className="size-9">
        <X aria-hidden className="size-4" />
      </IconButton>
    </li>
  );
}
