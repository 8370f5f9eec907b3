import { useCurrency } from '../../state/shop.ts';
import { classNames } from '../../ui/class-names.ts';
import type { Offer } from './offer.ts';

export function Price({ offer, className }: { offer: Offer; className?: string }) {
  const { format } = useCurrency();
  const isOffer = offer.regularPriceCents !== undefined;
  return (
    <p className={classNames('tabular flex flex-wrap items-baseline gap-x-2 leading-tight', className)}>
      <span className={classNames('text-xl font-bold tracking-tight', isOffer && 'text-sale')}>
        {isOffer && <span className="sr-only">Now </span>}
        {format(offer.unitPriceCents)}
      </span>
      {offer.regularPriceCents !== undefined && (
        <span className="text-sm text-muted">
          <span className="sr-only">instead of </span>
          <s>{format(offer.regularPriceCents)}</s>
        </span>
      )}
    </p>
  );
}
