import { Pencil, Star, Trash2 } from 'lucide-react';
import { Link, useLocation } from 'react-router';
import type { PhysicalProduct } from '../../../../shared/admin-catalog.ts';
import { LOW_STOCK } from '../../../../shared/admin-catalog.ts';
import { formatCount } from '../../../../shared/figures.ts';
import { classNames } from '../../../ui/class-names.ts';
import { IconButton, iconButtonClass } from '../../../ui/icon-button.tsx';
import { dollars, ringgit } from '../figures.tsx';

export function Price({ price }: { price: number }) {
  return (
    <>
      <span className="font-semibold">{dollars(price)}</span>
      <span className="block text-xs text-muted">{ringgit(price)}</span>
    </>
  );
}

/** Red at 0, orange below 10, green otherwise (docs/conformance.md). */
export function Stock({ stock }: { stock: number }) {
  const colour = stock === 0 ? 'text-danger' : stock < LOW_STOCK ? 'text-warning' : 'text-success';
  return <span className={classNames('font-semibold', colour)}>{formatCount(stock)}</span>;
}

export function Rating({ rating, numReviews }: Pick<PhysicalProduct, 'rating' | 'numReviews'>) {
  return (
    <span className="inline-flex items-center gap-1 align-middle whitespace-nowrap">
      <Star
        aria-hidden
        className={classNames('size-4', numReviews > 0 ? 'fill-warning text-warning' : 'text-muted')}
      />
      {rating.toFixed(1)}
      <span className="text-muted">
        ({numReviews}
        <span className="sr-only"> reviews</span>)
      </span>
    </span>
  );
}

interface RowActionsProps {
  product: PhysicalProduct;
  onDelete(product: PhysicalProduct): void;
}

export function RowActions({ product, onDelete }: RowActionsProps) {
  const { _id, name, isActive } = product;
  const { search } = useLocation();
  return (
    <div className="flex justify-end">
      <Link
        to={`/admin/products/${_id}`}
        state={{ from: search }}
        title={`Edit ${name}`}
        aria-label={`Edit ${name}`}
        className={iconButtonClass()}
      >
        <Pencil aria-hidden className="size-4.5" />
      </Link>
      <IconButton
        label={`Delete ${name}`}
        disabled={!isActive}
        onClick={() => onDelete(product)}
        className="hover:bg-danger-soft hover:text-danger"
      >
        <Trash2 aria-hidden className="size-4.5" />
      </IconButton>
    </div>
  );
}
