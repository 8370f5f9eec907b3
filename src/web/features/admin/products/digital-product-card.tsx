import { Eye, EyeOff, type LucideIcon, Package, Pencil, Trash2 } from 'lucide-react';
import { formatCount, formatDay } from '../../../../shared/format.ts';
import type { AdminDigitalProduct } from '../../../../shared/products.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { classNames } from '../../../ui/class-names.ts';
import { Picture } from '../../../ui/picture.tsx';
import { formatDollars, ringgit } from '../figures.tsx';
import type { StatusChange } from './product-status.tsx';

interface CardProps {
  product: AdminDigitalProduct & { isPending: boolean };
  onOpen(dialog: 'edit' | 'stock'): void;
  onChange(to: StatusChange['to']): void;
}

export function DigitalProductCard(props: CardProps) {
  const { product } = props;
  const { name, category, image, price, effectivePrice, featured, isActive, deletedAt } = product;
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
            <div className="tabular shrink-0 text-right">
              <p className="font-bold">{ringgit(price)}</p>
              <p className="text-sm text-muted">{formatDollars(price)}</p>
              {effectivePrice < price && (
                <Badge tone="sale" className="mt-1">
                  now {formatDollars(effectivePrice)}
                </Badge>
              )}
            </div>
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
          <Buttons {...props} />
        </div>
      </article>
    </Card>
  );
}

function Buttons({ product: { name, isActive, isPending }, onOpen, onChange }: CardProps) {
  const buttons: [words: string, icon: LucideIcon, onClick: () => void][] = isActive
    ? [
        ['Edit', Pencil, () => onOpen('edit')],
        ['Stock', Package, () => onOpen('stock')],
        ['Deactivate', EyeOff, () => onChange('inactive')],
        ['Delete', Trash2, () => onChange('deleted')],
      ]
    : [
        ['Activate', Eye, () => onChange('active')],
        ['Permanently Delete', Trash2, () => onChange('deleted')],
      ];
  return (
    <div className={classNames('grid gap-2', isActive && 'grid-cols-2')}>
      {buttons.map(([words, Icon, onClick]) => (
        <Button
          icon={Icon}
          key={words}
          size="sm"
          variant={Icon === Trash2 ? 'danger' : 'secondary'}
          disabled={isPending}
          className="min-h-11 px-2"
          aria-label={`${words === 'Stock' ? 'Stock of' : words} ${name}`}
          onClick={onClick}>
          {words}
        </Button>
      ))}
    </div>
  );
}
