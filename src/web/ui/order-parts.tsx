import type { ReactNode } from 'react';
import { Badge, classNames, Picture, StatusBadge } from './display.tsx';

interface LineTextProps {
  name: string;
  detail: ReactNode;
  price: ReactNode;
  note?: ReactNode;
}

/** The texts of a line. The price is below the name if both do not fit into one line. */
export const LineText = ({ name, detail, price, note }: LineTextProps) => (
  <div className="flex min-w-0 flex-1 flex-wrap items-center gap-x-3 wrap-anywhere">
    <div className="max-w-full flex-1 basis-[5.5rem]">
      <p dir="auto" className="text-left font-semibold">
        {name}
      </p>
      {/* Is as wide as its longest word, an amount, if it can be. */}
      <p className="tabular text-sm wrap-break-word text-muted">{detail}</p>
      {note}
    </div>
    {price}
  </div>
);

interface LineRowProps extends LineTextProps {
  image: string;
  category: string;
  children?: ReactNode;
}

export const LineRow = ({ image, category, children, ...text }: LineRowProps) => (
  <li className="flex items-center gap-3">
    <Picture src={image} category={category} className="aspect-4/3 w-16 shrink-0 self-start rounded-md" />
    <div className="min-w-0 flex-1">
      <LineText {...text} />
      {children}
    </div>
  </li>
);

export const OrderStatusBadges = ({ order }: { order: { status: string; refundStatus: string | null } }) => (
  <>
    <StatusBadge status={order.status} />
    {order.refundStatus && <StatusBadge status={order.refundStatus} />}
  </>
);

export const PaidBadge = ({ isPaid }: { isPaid: boolean }) => (
  <Badge tone={isPaid ? 'success' : 'warning'}>{isPaid ? 'Paid' : 'Pending'}</Badge>
);

/** A label and an amount, which is below the label if both do not fit into one line. */
export const SumRow = ({ label, amount, isTotal }: { label: string; amount: ReactNode; isTotal?: boolean }) => (
  <div className={classNames('flex flex-wrap justify-between gap-x-4', isTotal && 'font-bold')}>
    <dt className={isTotal ? '' : 'text-muted'}>{label}</dt>
    <dd className="ml-auto wrap-anywhere">{amount}</dd>
  </div>
);

export const Timeline = ({
  steps,
  moment,
}: {
  steps: { at: string; text: string }[];
  moment(at: string): ReactNode;
}) => (
  <ol className="grid gap-5 border-l-2 border-line pl-5 text-sm">
    {steps.map(({ at, text }) => (
      <li
        key={`${at} ${text}`}
        className="relative before:absolute before:top-1 before:-left-[1.6rem] before:size-2.5 before:rounded-full before:bg-accent">
        <p className="wrap-anywhere">{text}</p>
        <p className="text-muted">{moment(at)}</p>
      </li>
    ))}
  </ol>
);

interface Fact {
  label: string;
  value: string | null;
}

/** Lists facts about a product or an order line, a label and a value in each row. Facts without a value are left out. */
export function LineFacts({ facts }: { facts: readonly Fact[] }) {
  const known = facts.filter(({ value }) => value);
  if (known.length === 0) return null;
  return (
    <dl className="grid grid-cols-[fit-content(50%)_1fr] gap-x-4 gap-y-1 text-sm">
      {known.map(({ label, value }) => (
        <div key={label} className="col-span-full grid grid-cols-subgrid">
          <dt className="wrap-anywhere text-muted">{label}</dt>
          <dd className="font-semibold wrap-anywhere">{value}</dd>
        </div>
      ))}
    </dl>
  );
}

export const activationFacts = ({ platform, region }: { platform: string | null; region: string | null }): Fact[] => [
  { label: 'Platform', value: platform },
  { label: 'Region', value: region },
];
