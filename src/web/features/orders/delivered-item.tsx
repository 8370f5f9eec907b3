import { Check, Copy, Eye, EyeOff } from 'lucide-react';
import { useState } from 'react';
import { formatMoment } from '../../../shared/dates.ts';
import { maskContent } from '../../../shared/masking.ts';
import type { DeliveredItems } from '../../../shared/orders.ts';
import { useCopy } from '../../lib/use-copy.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';

interface DeliveredItemProps {
  item: DeliveredItems['items'][number]['items'][number];
}

/** One delivered secret. */
export function DeliveredItem({ item }: DeliveredItemProps) {
  const { number } = item;
  return (
    <li className="grid gap-2 rounded-md border border-line p-4">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm">
        <span className="font-semibold">Item {number}</span>
        {item.isReplacement && <Badge tone="accent">Replacement</Badge>}
        {item.viewed && <Badge tone="info">Viewed</Badge>}
        <span className="text-muted">
          Delivered <time dateTime={item.deliveredAt}>{formatMoment(item.deliveredAt)}</time>
        </span>
      </div>
      {item.content === null ? (
        <p className="rounded-md bg-danger-soft px-4 py-3 text-danger">
          This item cannot be read. The shop has been told; contact support to have it replaced or refunded.
        </p>
      ) : (
        <Secret content={item.content} number={number} />
      )}
    </li>
  );
}

/** The place of an item that its buyer returned: the others keep their numbers. */
export const ReturnedItem = ({ number }: { number: number }) => (
  <li className="flex flex-wrap items-center gap-x-3 gap-y-1 rounded-md border border-dashed border-line p-4 text-sm">
    <span className="font-semibold">Item {number}</span>
    <span className="text-muted">Returned for a refund, so it is no longer shown.</span>
  </li>
);

/** Masked until its buyer asks to see it. */
function Secret({ content, number }: { content: string; number: number }) {
  const [shown, setShown] = useState(false);
  const { copied, copy } = useCopy();
  const ToggleIcon = shown ? EyeOff : Eye;
  const CopyIcon = copied ? Check : Copy;
  return (
    <div className="flex flex-wrap items-center gap-3">
      <code
        aria-live="polite"
        className="min-h-11 min-w-0 flex-[1_1_16rem] content-center rounded-md bg-sunken px-3.5 py-2 font-mono break-all whitespace-pre-wrap"
      >
        {shown ? content : maskContent(content)}
      </code>
      <div className="flex gap-2">
        <Button variant="secondary" onClick={() => setShown(!shown)}>
          <ToggleIcon aria-hidden className="size-5" />
          {shown ? 'Hide' : 'Show'}
          <span className="sr-only">item {number}</span>
        </Button>
        <Button variant="secondary" onClick={() => void copy(content)}>
          <CopyIcon aria-hidden className="size-5" />
          <span aria-live="polite">{copied ? 'Copied' : 'Copy'}</span>
          <span className="sr-only">item {number}</span>
        </Button>
      </div>
    </div>
  );
}
