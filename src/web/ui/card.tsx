import type { LucideIcon } from 'lucide-react';
import type { ComponentProps, ReactNode } from 'react';
import { classNames } from './class-names.ts';

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

/** A placeholder for content that is loading; its size comes from the class name. */
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
