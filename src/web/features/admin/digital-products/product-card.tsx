import { Eye, EyeOff, Package, Pencil, Trash2 } from 'lucide-react';
import { formatDay } from '../../../../shared/dates.ts';
import { formatCount } from '../../../../shared/figures.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { classNames } from '../../../ui/class-names.ts';
import { Picture } from '../../../ui/picture.tsx';
import { dollars, ringgit } from '../figures.tsx';
import type { ShownProduct } from './use-product-status.ts';

export interface CardActions {
  onEdit(id: string): void;
  onStock(id: string): void;
  onActivate(id: string): void;
  onDeactivate(id: string): void;
  onDelete(product: ShownProduct): void;
}

export function ProductCard({ product, actions }: { product: ShownProduct; actions: CardActions }) {
  const { name, category, image, featured, isActive, deletedAt } = product;
  const { total, available, sold } = product.inventoryStats;
  return (
    <Card className="flex w-full flex-col overflow-hidden">
      <article className="contents">
        <div className="relative">
          <Picture
            src={image}
            category={category}
            alt=""
            className={classNames('aspect-4/3', !isActive && 'opacity-60 grayscale')}
          />
          <div className="absolute inset-x-3 top-3 flex flex-wrap gap-1.5">
            {featured && <Badge tone="accent">Featured</Badge>}
            {!isActive && <Badge>Inactive</Badge>}
            {isActive && available === 0 && <Badge tone="danger">No Stock</Badge>}
          </div>
        </div>
        <div className="flex flex-1 flex-col gap-3 p-4">
          <div className="flex items-start justify-between gap-3">
            <div className="min-w-0">
              <h3 className="text-base leading-snug wrap-anywhere">{name}</h3>
              <p className="text-sm text-muted">{category}</p>
            </div>
            <AdminPrice product={product} />
          </div>
          {!isActive && deletedAt !== null && (
            <p className="text-sm text-muted">
              Deleted {formatDay(deletedAt)}. What was sold stays with its buyers.
            </p>
          )}
          <dl className="mt-auto grid grid-cols-3 gap-2 rounded-md bg-sunken px-2 py-2.5 text-center">
            {Object.entries({ Total: total, Available: available, Sold: sold }).map(([label, n]) => (
              <div key={label} className="grid">
                <dt className="text-xs text-muted">{label}</dt>
                <dd className="tabular font-semibold">{formatCount(n)}</dd>
              </div>
            ))}
          </dl>
          <Buttons product={product} actions={actions} />
        </div>
      </article>
    </Card>
  );
}

/** In ringgit at the shop's rate, with what it costs in dollars under it; a running offer besides. */
function AdminPrice({ product: { price, effectivePrice } }: { product: ShownProduct }) {
  return (
    <div className="tabular shrink-0 text-right">
      <p className="font-bold">{ringgit(price)}</p>
      <p className="text-sm text-muted">{dollars(price)}</p>
      {effectivePrice < price && (
        <Badge tone="sale" className="mt-1">
          now {dollars(effectivePrice)}
        </Badge>
      )}
    </div>
  );
}

function Buttons({ product, actions }: { product: ShownProduct; actions: CardActions }) {
  const { _id: id, name, isActive, isPending: disabled = false } = product;
  const common = { size: 'sm', variant: 'secondary', disabled, className: 'min-h-11 px-2' } as const;
  if (!isActive) {
    return (
      <div className="grid gap-2">
        <Button {...common} aria-label={`Activate ${name}`} onClick={() => actions.onActivate(id)}>
          <Eye aria-hidden className="size-4" />
          Activate
        </Button>
        <Button
          {...common}
          variant="danger"
          aria-label={`Permanently Delete ${name}`}
          onClick={() => actions.onDelete(product)}
        >
          <Trash2 aria-hidden className="size-4" />
          Permanently Delete
        </Button>
      </div>
    );
  }
  return (
    <div className="grid grid-cols-2 gap-2">
      <Button {...common} aria-label={`Edit ${name}`} onClick={() => actions.onEdit(id)}>
        <Pencil aria-hidden className="size-4" />
        Edit
      </Button>
      <Button {...common} aria-label={`Stock of ${name}`} onClick={() => actions.onStock(id)}>
        <Package aria-hidden className="size-4" />
        Stock
      </Button>
      <Button {...common} aria-label={`Deactivate ${name}`} onClick={() => actions.onDeactivate(id)}>
        <EyeOff aria-hidden className="size-4" />
        Deactivate
      </Button>
      <Button
        {...common}
        variant="danger"
        aria-label={`Delete ${name}`}
        onClick={() => actions.onDelete(product)}
      >
        <Trash2 aria-hidden className="size-4" />
        Delete
      </Button>
    </div>
  );
}
