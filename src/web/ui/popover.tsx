import { type ComponentProps, type ReactNode, type ToggleEvent, useId, useRef } from 'react';
import { classNames } from './class-names.ts';

const GAP_PX = 8;
const MARGIN_PX = 12;

// The panel is aligned with the button's right edge. On a narrow screen it moves right until its left edge is visible.
const panelClass = classNames(
  '[--inwards:max(0px,0.75rem-100vw+var(--from-right)+100%)] fixed inset-auto right-(--from-right) translate-x-(--inwards)',
  '-translate-y-1.5 opacity-0 transition-[opacity,translate,overlay,display] transition-discrete',
  'open:translate-y-0 open:opacity-100 starting:open:-translate-y-1.5 starting:open:opacity-0',
  'max-h-[80dvh] max-w-[calc(100vw-1.5rem)] overflow-y-auto rounded-lg border border-line bg-raised text-ink shadow-float',
);

interface PopoverProps {
  trigger: ReactNode;
  triggerProps?: ComponentProps<'button'>;
  /** Renders the content; `close` closes the popover. */
  children: (close: () => void) => ReactNode;
  className?: string;
}

/** A panel below its button, by the browser's popover: Escape or a press elsewhere closes it and returns the focus. */
export function Popover({ trigger, triggerProps, children, className }: PopoverProps) {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const panel = useRef<HTMLDivElement>(null);

  function place({ newState }: ToggleEvent<HTMLDivElement>) {
    if (newState !== 'open' || button.current === null || panel.current === null) return;
    const { bottom, right } = button.current.getBoundingClientRect();
    const fromRight = document.documentElement.clientWidth - right;
    panel.current.style.top = `${bottom + GAP_PX}px`;
    panel.current.style.setProperty('--from-right', `${Math.max(MARGIN_PX, fromRight)}px`);
  }

  return (
    <>
      <button type="button" {...triggerProps} ref={button} popoverTarget={id}>
        {trigger}
      </button>
      <div ref={panel} id={id} popover="auto" onBeforeToggle={place} className={classNames(panelClass, className)}>
        {children(() => panel.current?.hidePopover())}
      </div>
    </>
  );
}
