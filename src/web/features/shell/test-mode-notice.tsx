import { useShop } from '../../state/shop.tsx';

/** Beside the shop's name, below it on a phone; out of the flow, so that nothing moves when the answer arrives. */
export function TestModeNotice() {
  if (useShop()?.payments.provider !== 'test-mode') return null;
  return (
    <p
      role="note"
      className="pointer-events-none absolute font-semibold whitespace-nowrap text-warning max-sm:top-[1.95rem] max-sm:left-11.5 max-sm:text-[0.625rem] max-sm:leading-none max-sm:tracking-wide sm:top-1/2 sm:left-full sm:ml-3 sm:-translate-y-1/2 sm:rounded-full sm:bg-warning-soft sm:px-3 sm:py-1 sm:text-xs"
    >
      TEST MODE<span className="font-normal max-lg:sr-only"> · no real money moves</span>
    </p>
  );
}
