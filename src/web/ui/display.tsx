import { Image, type LucideIcon, Package } from 'lucide-react';
import { type ComponentProps, type ReactNode, useState } from 'react';
import { categoryIcons } from './category-icons.ts';

export const classNames = (...names: (string | false | undefined | null)[]) => names.filter(Boolean).join(' ');

export function Card({ className, ...rest }: ComponentProps<'div'>) {
  return <div {...rest} className={classNames('rounded-lg border border-line bg-surface shadow-card', className)} />;
}

interface SectionProps {
  title: string;
  /** Use `h3` below the heading of a tab. */
  heading?: 'h2' | 'h3';
  beside?: ReactNode;
  className?: string;
  children: ReactNode;
}

export function Section({ title, heading: Heading = 'h2', beside, className, children }: SectionProps) {
  const padding = Heading === 'h2' ? 'p-5 sm:p-6' : 'p-5';
  return (
    <Card
      role="region"
      aria-label={title}
      className={classNames('grid grid-cols-1 content-start gap-4', padding, className)}>
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <Heading className="text-lg">{title}</Heading>
        {beside}
      </div>
      {children}
    </Card>
  );
}

export function Skeleton({ className }: { className?: string }) {
  return (
    <div aria-hidden className={classNames('animate-pulse rounded-md bg-line motion-reduce:animate-none', className)} />
  );
}

interface EmptyStateProps {
  icon: LucideIcon;
  title: string;
  children?: ReactNode;
  action?: ReactNode;
  heading?: 'h1' | 'h2' | 'h3' | 'h4';
}

export function EmptyState({ icon: Icon, title, children, action, heading: Heading = 'h2' }: EmptyStateProps) {
  return (
    <div className="mx-auto flex max-w-form flex-col items-center gap-3 px-4 py-14 text-center text-balance">
      <span className="grid size-16 place-items-center rounded-lg bg-accent-soft text-accent-ink">
        <Icon aria-hidden className="size-7" strokeWidth={1.75} />
      </span>
      <Heading className="max-w-full text-xl wrap-anywhere">{title}</Heading>
      {children && <div className="text-muted">{children}</div>}
      {action && <div className="mt-3">{action}</div>}
    </div>
  );
}

export type Tone = 'neutral' | 'accent' | 'sale' | 'success' | 'warning' | 'danger' | 'info';

const toneClass: Record<Tone, string> = {
  neutral: 'bg-sunken text-ink',
  accent: 'bg-accent-soft text-accent-ink',
  sale: 'bg-sale text-on-sale',
  success: 'bg-success-soft text-success',
  warning: 'bg-warning-soft text-warning',
  danger: 'bg-danger-soft text-danger',
  info: 'bg-info-soft text-info',
};

export const Badge = ({ tone = 'neutral', className, ...rest }: ComponentProps<'span'> & { tone?: Tone }) => (
  <span
    {...rest}
    className={classNames(
      'tabular inline-flex items-center gap-1 rounded-full forced-colors:border px-2.5 py-0.5 text-xs font-semibold whitespace-nowrap',
      toneClass[tone],
      className,
    )}
  />
);

export const Initial = ({ className, children }: { className: string; children: string }) => (
  <span
    aria-hidden
    className={classNames(
      'grid shrink-0 place-items-center rounded-full bg-accent-soft font-bold text-accent-ink',
      className,
    )}>
    {children}
  </span>
);

const statusTones = new Map<string, Tone>([
  ['Processing', 'info'],
  ['Shipped', 'accent'],
  ['Delivered', 'success'],
  ['Cancelled', 'danger'],
  ['Refunded', 'neutral'],
  ['Partly refunded', 'neutral'],
  ['Refund under way', 'warning'],
  ['Pending', 'warning'],
  ['Completed', 'success'],
  ['Active', 'success'],
  ['Inactive', 'danger'],
]);

/** A status in its own colour; an unknown status is neutral (docs/conformance.md). */
export function StatusBadge({ status }: { status: string }) {
  return <Badge tone={statusTones.get(status) ?? 'neutral'}>{status}</Badge>;
}

interface CalloutProps extends ComponentProps<'div'> {
  tone: Tone;
  icon?: LucideIcon;
}

export const Callout = ({ tone, icon: Icon, className, children, ...rest }: CalloutProps) => (
  <div
    {...rest}
    className={classNames(
      'rounded-md forced-colors:border px-4 py-3',
      toneClass[tone],
      Icon && 'flex items-start gap-3',
      className,
    )}>
    {Icon && <Icon aria-hidden className="mt-0.5 size-5 shrink-0" />}
    {children}
  </div>
);

interface PictureProps {
  src: string;
  /** Left out if the text beside the picture says the same. */
  alt?: string;
  className?: string;
  /** The product's category; its icon replaces a picture that is missing or does not load. */
  category?: string;
  /** Loads at once instead of when scrolled near; for pictures that are visible at the start. */
  eager?: boolean;
}

/** A picture that fills its frame; the frame's size comes from the class name, so loading shifts nothing. */
export function Picture({ src, alt = '', className, category, eager = false }: PictureProps) {
  const [failedSrc, setFailedSrc] = useState<string>();
  const isMissing = src === '' || src === failedSrc;
  return (
    <div className={classNames('overflow-hidden bg-sunken', className)}>
      {isMissing ? (
        <div className="relative grid size-full place-items-center bg-accent-soft text-accent-ink">
          {category === undefined ? (
            <Image aria-hidden className="size-1/3 max-w-8 opacity-60" strokeWidth={1.5} />
          ) : (
            <CategoryIcon category={category} className="size-2/5 max-w-20 opacity-60" />
          )}
          {alt !== '' && <span className="sr-only">{alt}</span>}
        </div>
      ) : (
        <img
          src={src}
          alt={alt}
          loading={eager ? 'eager' : 'lazy'}
          decoding="async"
          onError={() => setFailedSrc(src)}
          className="size-full object-cover"
        />
      )}
    </div>
  );
}

/** The icon of a category; a parcel for categories without an icon, such as those of physical products. */
export function CategoryIcon({ category, className }: { category: string; className?: string }) {
  const Icon = categoryIcons[category] ?? Package;
  return <Icon aria-hidden className={className} />;
}
