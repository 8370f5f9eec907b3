import { useState } from 'react';
import { Badge } from '../../ui/badge.tsx';
import { Cell, HeaderCell, Table } from '../../ui/table.tsx';
import { Tabs } from '../../ui/tabs.tsx';

const rows = [
  { name: 'Neon Apex Rally', category: 'Game Keys', price: 19.99, stock: 60 },
  { name: 'South-East Asia eSIM, 10 GB', category: 'Other Digital', price: 14.5, stock: 7 },
  { name: 'Ember Reach', category: 'Steam Keys', price: 29.9, stock: 0 },
];

export function Tables() {
  const [tab, setTab] = useState('products');
  return (
    <Tabs
      label="What is listed"
      value={tab}
      onChange={setTab}
      tabs={[
        { value: 'products', label: 'Products', count: rows.length, content: <Products /> },
        { value: 'orders', label: 'Orders', count: 0, content: <p>No orders yet</p> },
        { value: 'reports', label: 'Reports', content: <p>A tab without a count</p> },
        { value: 'later', label: 'Disabled', disabled: true, content: null },
      ]}
    />
  );
}

function Products() {
  const [descending, setDescending] = useState(false);
  const sorted = rows.toSorted((one, other) => (one.price - other.price) * (descending ? -1 : 1));
  return (
    <Table
      caption="Products"
      head={
        <tr>
          <HeaderCell>Name</HeaderCell>
          <HeaderCell onSort={() => undefined}>Category</HeaderCell>
          <HeaderCell
            numeric
            sorted={descending ? 'descending' : 'ascending'}
            onSort={() => setDescending(!descending)}
          >
            Price
          </HeaderCell>
          <HeaderCell numeric>Stock</HeaderCell>
        </tr>
      }
    >
      {sorted.map(({ name, category, price, stock }) => (
        <tr key={name}>
          <Cell className="font-semibold">{name}</Cell>
          <Cell>{category}</Cell>
          <Cell numeric>${price.toFixed(2)}</Cell>
          <Cell numeric>
            <Badge tone={stock === 0 ? 'danger' : stock < 10 ? 'warning' : 'success'}>{stock}</Badge>
          </Cell>
        </tr>
      ))}
    </Table>
  );
}
