import { PackageOpen, ShieldAlert } from 'lucide-react';
import { useState } from 'react';
import { Toast } from '../../../src/web/features/shell/toast-region.tsx';
import { type ToastMessage, useToasts } from '../../../src/web/state/toasts.tsx';
import { Button } from '../../../src/web/ui/button.tsx';
import {
  Badge,
  Callout,
  Card,
  EmptyState,
  Picture,
  Skeleton,
  StatusBadge,
  type Tone,
} from '../../../src/web/ui/display.tsx';
import { LoadFailure, LoadFailureBanner, Loading } from '../../../src/web/ui/loading.tsx';
import { Table } from '../../../src/web/ui/table.tsx';
import { Tabs } from '../../../src/web/ui/tabs.tsx';
import { Specimen } from './kit-controls.tsx';

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
      ]}
    />
  );
}

const Products = () => (
  <Table
    caption="Products"
    columns={['Name', 'Category', 'Price', 'Stock']}
    numeric={['Price', 'Stock']}
    rows={rows.map(({ name, category, price, stock }) => ({
      key: name,
      cells: [
        name,
        category,
        `$${price.toFixed(2)}`,
        <Badge key="stock" tone={stock === 0 ? 'danger' : stock < 10 ? 'warning' : 'success'}>
          {stock}
        </Badge>,
      ],
    }))}
  />
);

const tones: Tone[] = ['neutral', 'accent', 'sale', 'success', 'warning', 'danger', 'info'];
const statuses = [
  'Processing',
  'Shipped',
  'Delivered',
  'Cancelled',
  'Pending',
  'Completed',
  'Active',
  'Inactive',
  'Unheard of',
];
const types = ['success', 'error', 'warning', 'info'] as const;
const product = { name: 'Neon Apex Rally', image: '/demo/covers/neon-apex-rally.svg', category: 'Game Keys' };

const toasts: ToastMessage[] = [
  ...types.map((type) => ({ type, message: `This is a toast of ${type}` })),
  { type: 'success', message: 'Added to cart', product },
  {
    type: 'error',
    message: 'Only 3 items available',
    product: { ...product, name: 'A name so long that it does not fit into one line of a toast' },
  },
];

export function Messages() {
  const { show } = useToasts();
  return (
    <>
      <Specimen name="Badge">
        {tones.map((tone) => (
          <Badge key={tone} tone={tone}>
            {tone}
          </Badge>
        ))}
      </Specimen>
      <Specimen name="StatusBadge">
        {statuses.map((status) => (
          <StatusBadge key={status} status={status} />
        ))}
      </Specimen>
      <Specimen name="Callout">
        {tones.map((tone) => (
          <Callout key={tone} tone={tone}>
            A callout of {tone}
          </Callout>
        ))}
        <Callout tone="warning" icon={ShieldAlert}>
          With an icon
        </Callout>
      </Specimen>
      <Specimen name="Toast">
        <ul className="grid w-full gap-2 sm:grid-cols-2">
          {toasts.map((toast, place) => (
            <Toast
              key={toast.message}
              toast={{ id: String(place), duration: 0, ...toast }}
              close={ignore}
              dismiss={ignore}
            />
          ))}
        </ul>
      </Specimen>
      <Specimen name="Toasts as they come">
        {types.map((type) => (
          <Button key={type} variant="secondary" onClick={() => show({ type, message: `A toast of ${type}` })}>
            Show {type}
          </Button>
        ))}
        <Button
          variant="secondary"
          onClick={() => show({ type: 'info', message: 'Stays until closed', duration: 0, product })}>
          Show one that stays
        </Button>
      </Specimen>
    </>
  );
}

const ignore = () => undefined;
const query = { isFetching: false, refetch: () => undefined };

export function Containers() {
  return (
    <>
      <Specimen name="Card">
        <Card className="w-full max-w-form p-5">A surface for what belongs together.</Card>
      </Specimen>
      <Specimen name="Picture: loaded, none, broken">
        <Picture src="/demo/covers/neon-apex-rally.svg" alt="A cover" className="aspect-4/3 w-48 rounded-md" />
        <Picture src="" alt="No picture" className="aspect-4/3 w-48 rounded-md" />
        <Picture eager src="/not-there.svg" alt="A broken picture" className="aspect-4/3 w-48 rounded-md" />
      </Specimen>
      <Specimen name="Loading, with Skeletons">
        <Loading label="Loading a card" className="w-full max-w-form">
          <Skeleton className="h-32" />
          <Skeleton className="h-5 w-2/3" />
          <Skeleton className="h-5 w-1/3" />
        </Loading>
      </Specimen>
      <Specimen name="LoadFailure and LoadFailureBanner">
        <Card className="grid w-full gap-4 p-4">
          <LoadFailureBanner message="Failed to load orders" query={query} />
          <LoadFailure heading="h4" title="This page did not load" text="Please check your connection." query={query} />
        </Card>
      </Specimen>
      <Specimen name="EmptyState">
        <Card className="w-full">
          <EmptyState icon={PackageOpen} heading="h4" title="No Orders Yet" action={<Button>Start Shopping</Button>}>
            Your orders will appear here, ready to open.
          </EmptyState>
        </Card>
      </Specimen>
    </>
  );
}
