import { Ban, Eye } from 'lucide-react';
import { Link } from 'react-router';
import { formatMoment } from '../../../../shared/dates.ts';
import type { InventoryItem } from '../../../../shared/inventory.ts';
import { orderNumber } from '../../../../shared/order-number.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { isUnsold, stateNames, stateTones } from './item-states.ts';

interface ItemRowProps {
  item: InventoryItem;
  onReveal(): void;
  onVoid(): void;
}

export function ItemRow({ item, onReveal, onVoid }: ItemRowProps) {
  const { masked, state, addedAt, deliveredAt, viewed, order, voidReason } = item;
  return (
    <li className="grid gap-2 rounded-md border border-line p-4">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <code className="min-w-0 flex-1 font-mono text-sm break-all">{masked}</code>
        <Badge tone={stateTones[state]}>{stateNames[state]}</Badge>
        {viewed && <Badge tone="info">Viewed</Badge>}
      </div>
      <div className="flex flex-wrap items-start justify-between gap-x-4 gap-y-2">
        <p className="min-w-0 flex-[1_1_14rem] text-sm text-muted wrap-anywhere">
          Added <time dateTime={addedAt}>{formatMoment(addedAt)}</time>
          {deliveredAt !== null && (
            <>
              , delivered <time dateTime={deliveredAt}>{formatMoment(deliveredAt)}</time>
            </>
          )}
          {order !== null && (
            <Link
              to={`/admin/orders/${order}`}
              className="block w-fit font-semibold text-accent-ink underline"
            >
              Order #{orderNumber(order)}
            </Link>
          )}
          {voidReason !== null && <span className="block">{voidReason}</span>}
        </p>
        <div className="ml-auto flex gap-2">
          <Button
            size="sm"
            variant="secondary"
            className="min-h-11"
            aria-label={`Reveal ${masked}`}
            onClick={onReveal}
          >
            <Eye aria-hidden className="size-4" />
            Reveal
          </Button>
          {isUnsold(state) && (
            <Button
              size="sm"
              variant="danger"
              className="min-h-11"
              aria-label={`Void ${masked}`}
              onClick={onVoid}
            >
              <Ban aria-hidden className="size-4" />
              Void
            </Button>
          )}
        </div>
      </div>
    </li>
  );
}
