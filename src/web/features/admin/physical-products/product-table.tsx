import type { PhysicalProduct } from '../../../../shared/admin-catalog.ts';
import { Card } from '../../../ui/card.tsx';
import { Picture } from '../../../ui/picture.tsx';
import { StatusBadge } from '../../../ui/status-badge.tsx';
import { Cell, HeaderCell, Table } from '../../../ui/table.tsx';
import { Price, Rating, RowActions, Stock } from './product-facts.tsx';

interface ProductsProps {
  products: PhysicalProduct[];
  onDelete(product: PhysicalProduct): void;
}

const statusOf = ({ isActive }: PhysicalProduct) => (isActive ? 'Active' : 'Inactive');

/** Where there is room for columns. */
export function ProductTable({ products, onDelete }: ProductsProps) {
  const head = (
    <tr>
      <HeaderCell>Product</HeaderCell>
      <HeaderCell>Category</HeaderCell>
      <HeaderCell numeric>Price</HeaderCell>
      <HeaderCell numeric>Stock</HeaderCell>
      <HeaderCell>Rating</HeaderCell>
      <HeaderCell>Status</HeaderCell>
      <HeaderCell numeric>Actions</HeaderCell>
    </tr>
  );
  return (
    <Table caption="Physical products" head={head}>
      {products.map((product) => (
        <tr key={product._id}>
          <Cell>
            <div className="flex min-w-52 items-center gap-3">
              <Picture
                src={product.image}
                category={product.category}
                alt=""
                className="size-12 shrink-0 rounded-md"
              />
              <div>
                <p className="font-semibold wrap-anywhere">{product.name}</p>
                <p className="text-muted">{product.brand}</p>
              </div>
            </div>
          </Cell>
          <Cell>{product.category}</Cell>
          <Cell numeric>
            <Price price={product.price} />
          </Cell>
          <Cell numeric>
            <Stock stock={product.stock} />
          </Cell>
          <Cell>
            <Rating {...product} />
          </Cell>
          <Cell>
            <StatusBadge status={statusOf(product)} />
          </Cell>
          <Cell>
            <RowActions product={product} onDelete={onDelete} />
          </Cell>
        </tr>
      ))}
    </Table>
  );
}

/** The same on a phone. */
export function ProductCards({ products, onDelete }: ProductsProps) {
  return (
    <ul aria-label="Physical products" className="grid gap-4 sm:grid-cols-2">
      {products.map((product) => (
        <li key={product._id} className="grid">
          <Card className="grid content-between gap-3 p-4">
            <div className="flex gap-3">
              <Picture
                src={product.image}
                category={product.category}
                alt=""
                className="size-18 shrink-0 rounded-md"
              />
              <div className="grid min-w-0 grow content-start justify-items-start gap-0.5">
                <h3 className="text-base leading-snug wrap-anywhere">{product.name}</h3>
                <p className="text-sm text-muted wrap-anywhere">{product.brand}</p>
                <p className="text-sm text-muted wrap-anywhere">{product.category}</p>
                <StatusBadge status={statusOf(product)} />
              </div>
              <div className="tabular shrink-0 text-right">
                <Price price={product.price} />
              </div>
            </div>
            <div className="flex items-center justify-between gap-3 border-t border-line pt-2 text-sm">
              <p>
                Stock <Stock stock={product.stock} />
              </p>
              <Rating {...product} />
              <RowActions product={product} onDelete={onDelete} />
            </div>
          </Card>
        </li>
      ))}
    </ul>
  );
}
