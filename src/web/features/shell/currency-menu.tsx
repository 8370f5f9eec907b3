import { Check, ChevronDown, MapPin } from 'lucide-react';
import { type FocusEvent, type ToggleEvent, useId, useRef } from 'react';
import { currencies, currencyCodes } from '../../../shared/currency.ts';
import { useCountry, useCurrency } from '../../state/shop.ts';
import { classNames } from '../../ui/display.tsx';

const GAP_PX = 8;
const MARGIN_PX = 12;

// The panel is aligned with the button's right edge. On a narrow screen it moves right until its left edge is visible.
const panelClass = classNames(
  '[--inwards:max(0px,0.75rem-100vw+var(--from-right)+100%)] fixed inset-auto right-(--from-right) translate-x-(--inwards)',
  '-translate-y-1.5 opacity-0 transition-[opacity,translate,overlay,display] transition-discrete',
  'open:translate-y-0 open:opacity-100 starting:open:-translate-y-1.5 starting:open:opacity-0',
  'max-h-[80dvh] w-72 max-w-[calc(100vw-1.5rem)] overflow-y-auto rounded-lg border border-line bg-raised p-2 text-ink shadow-float',
);

/**
 * A panel below its button, by the browser's popover: Escape or a press elsewhere closes it and returns the focus. It
 * also closes when Tab leaves it, because it would cover the element that gets the focus.
 */
export function CurrencyMenu() {
  const { code, choose } = useCurrency();
  const country = useCountry();
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const panel = useRef<HTMLDivElement>(null);
  const close = () => panel.current?.hidePopover();

  function place({ newState }: ToggleEvent<HTMLDivElement>) {
    if (newState !== 'open' || button.current === null || panel.current === null) return;
    const { bottom, right } = button.current.getBoundingClientRect();
    const fromRight = document.documentElement.clientWidth - right;
    panel.current.style.top = `${bottom + GAP_PX}px`;
    panel.current.style.setProperty('--from-right', `${Math.max(MARGIN_PX, fromRight)}px`);
  }

  function closeWhenLeft({ relatedTarget }: FocusEvent) {
    // A press on the button closes the panel by itself, and would open a closed one again. In Firefox, the panel itself
    // gets the focus if it scrolls.
    if (relatedTarget && relatedTarget !== button.current && !panel.current?.contains(relatedTarget)) close();
  }

  return (
    <>
      <button
        ref={button}
        type="button"
        aria-label={`Currency: ${code}`}
        popoverTarget={id}
        className="inline-flex min-h-11 items-center gap-1 rounded-md px-2.5 text-sm font-semibold transition-colors hover:bg-accent-soft hover:text-accent-ink">
        {code}
        <ChevronDown aria-hidden className="size-4 text-muted" />
      </button>
      <div ref={panel} id={id} popover="auto" onBeforeToggle={place} className={panelClass}>
        <div className="px-3 pt-2 pb-3">
          <h2 className="text-base">Select Currency</h2>
          {country && (
            <p className="mt-0.5 flex items-center gap-1.5 text-xs text-muted">
              <MapPin aria-hidden className="size-3.5 shrink-0" />
              Detected: {country.name}
            </p>
          )}
        </div>
        <ul onBlur={closeWhenLeft}>
          {currencyCodes.map((option) => (
            <li key={option}>
              <button
                type="button"
                aria-current={option === code || undefined}
                onClick={() => {
                  choose(option);
                  close();
                }}
                className="tabular flex min-h-11 w-full items-center gap-3 rounded-md px-3 text-left text-sm transition-colors hover:bg-accent-soft aria-[current]:bg-accent-soft aria-[current]:text-accent-ink">
                <span className="w-8 text-muted">{currencies[option].symbol}</span>
                <span className="flex-1 font-semibold">{option}</span>
                <span className="text-muted">{currencies[option].rate}</span>
                <Check aria-hidden className={classNames('size-4', option !== code && 'invisible')} />
              </button>
            </li>
          ))}
        </ul>
        <p className="mt-2 border-t border-line px-3 pt-3 pb-1 text-xs text-muted">
          Prices are converted from USD. Payment is in USD.
        </p>
      </div>
    </>
  );
}
