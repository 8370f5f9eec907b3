import { Eye, EyeOff, Package, Pencil, Trash2 } from 'lucide-react';
import { formatCount, formatDay } from '../../../../shared/format.ts';
import type { AdminDigitalProduct } from '../../../../shared/products.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { classNames } from '../../../ui/class-names.ts';
import { Picture } from '../../../ui/picture.tsx';
import { dollars, ringgit } from '../figures.tsx';
import type { ShownProduct } from './product-status.tsx';

export interface CardActions {
  onEdit(id: string): void;
  onStock(id: string): void;
  onSetActive(id: string, isActive: boolean): void;
  onDelete(product: AdminDigitalProduct): void;
}

interface CardProps {
  product: ShownProduct<AdminDigitalProduct>;
  actions: CardActions;
}

export function DigitalProductCard({ product, actions }: CardProps) {
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
            <Price {...product} />
          </div>
          {!isActive && deletedAt !== null && (
            <p className="text-sm text-muted">Deleted {formatDay(deletedAt)}. What was sold stays with its buyers.</p>
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

/** In ringgit at the shop's rate, in dollars below, and the price of an offer that runs now. */
function Price({ price, effectivePrice }: AdminDigitalProduct) {
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

function Buttons({ product, actions }: CardProps) {
  const { _id: id, name, isActive, isPending = false } = product;
  const onDelete = () => actions.onDelete(product);
  const buttons = isActive
    ? [
        { icon: Pencil, words: 'Edit', label: `Edit ${name}`, onClick: () => actions.onEdit(id) },
        { icon: Package, words: 'Stock', label: `Stock of ${name}`, onClick: () => actions.onStock(id) },
        {
          icon: EyeOff,
          words: 'Deactivate',
          label: `Deactivate ${name}`,
          onClick: () => actions.onSetActive(id, false),
        },
        { icon: Trash2, words: 'Delete', label: `Delete ${name}`, onClick: onDelete },
      ]
    : [
        { icon: Eye, words: 'Activate', label: `Activate ${name}`, onClick: () => actions.onSetActive(id, true) },
        { icon: Trash2, words: 'Permanently Delete', label: `Permanently Delete ${name}`, onClick: onDelete },
      ];
  return (
    <div className={classNames('grid gap-2', isActive && 'grid-cols-2')}>
      {buttons.map(({ icon: Icon, words, label, onClick }) => (
        <Button
          key={words}
          size="sm"
          variant={Icon === Trash2 ? 'danger' : 'secondary'}
          disabled={isPending}
          className="min-h-11 px-2"
          aria-label={label}
          onClick={onClick}>
          <Icon aria-hidden className="size-4" />
          {words}
        </Button>
      ))}
    </div>
  );
}
