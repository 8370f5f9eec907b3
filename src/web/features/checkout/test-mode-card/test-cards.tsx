import { Button } from '../../../ui/button.tsx';
import { formatCardNumber } from './card-format.ts';

const cards = [
  { number: '4242424242424242', effect: 'Accepted' },
  { number: '4000002500003155', effect: 'Asks for authentication (3D Secure)' },
  { number: '4000000000000002', effect: 'Declined' },
  { number: '4000000000009995', effect: 'Declined: insufficient funds' },
  { number: '4000000000000127', effect: 'Declined: wrong security code' },
  { number: '4000000000000069', effect: 'Declined: expired card' },
];

/** The cards that test mode knows (docs/test-mode.md); a press fills one in. */
export function TestCards({ onUse }: { onUse: (number: string) => void }) {
  return (
    <details className="rounded-md bg-warning-soft text-sm">
      <summary className="px-4 py-3 font-semibold text-warning">
        TEST MODE: no money moves. See the test cards
      </summary>
      <ul className="grid gap-1 px-4 pb-3">
        {cards.map(({ number, effect }) => (
          <li key={number} className="flex items-center justify-between gap-3">
            <span className="min-w-0">
              <span className="tabular block font-semibold">{formatCardNumber(number)}</span>
              <span className="text-muted">{effect}</span>
            </span>
            <Button
              size="sm"
              variant="secondary"
              aria-label={`Use ${formatCardNumber(number)}`}
              onClick={() => onUse(number)}
            >
              Use
            </Button>
          </li>
        ))}
      </ul>
      <p className="px-4 pb-3 text-muted">Any future expiry date and any security code will do.</p>
    </details>
  );
}
