import { Badge, type Tone } from './badge.tsx';

const tones = new Map<string, Tone>([
  ['Processing', 'info'],
  ['Shipped', 'accent'],
  ['Delivered', 'success'],
  ['Cancelled', 'danger'],
  ['Refunded', 'neutral'],
  ['Partly refunded', 'neutral'],
  ['Refund pending', 'warning'],
  ['Pending', 'warning'],
  ['Completed', 'success'],
  ['Active', 'success'],
  ['Inactive', 'danger'],
]);

/** Where something stands, in a colour of its own; words it does not know are neutral (docs/conformance.md). */
export function StatusBadge({ status }: { status: string }) {
  return <Badge tone={tones.get(status) ?? 'neutral'}>{status}</Badge>;
}
