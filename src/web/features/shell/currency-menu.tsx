import { Check, ChevronDown, MapPin } from 'lucide-react';
import { currencies, currencyCodes } from '../../../shared/currency.ts';
import { useCountry, useCurrency } from '../../state/shop.ts';
import { classNames } from '../../ui/class-names.ts';
import { Popover } from '../../ui/popover.tsx';

export function CurrencyMenu() {
  const { code, choose } = useCurrency();
  const country = useCountry();
  return (
    <Popover
      className="w-72 p-2"
      trigger={
        <>
          {code}
          <ChevronDown aria-hidden className="size-4 text-muted" />
        </>
      }
      triggerProps={{
        'aria-label': `Currency: ${code}`,
        className:
          'inline-flex min-h-11 items-center gap-1 rounded-md px-2.5 text-sm font-semibold transition-colors hover:bg-accent-soft hover:text-accent-ink',
      }}>
      {(close) => (
        <>
          <div className="px-3 pt-2 pb-3">
            <h2 className="text-base">Select Currency</h2>
            {country && (
              <p className="mt-0.5 flex items-center gap-1.5 text-xs text-muted">
                <MapPin aria-hidden className="size-3.5 shrink-0" />
                Detected: {country.name}
              </p>
            )}
          </div>
          <ul>
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
        </>
      )}
    </Popover>
  );
}
