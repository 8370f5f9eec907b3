import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';

interface EmptyStateProps {
  icon: LucideIcon;
  title: string;
  children?: ReactNode;
  /** The way on: usually one button or link. */
  action?: ReactNode;
  heading?: 'h1' | 'h2' | 'h3' | 'h4';
}

export function EmptyState({
  icon: Icon,
  title,
  children,
  action,
  heading: Heading = 'h2',
}: EmptyStateProps) {
  return (
    <div className="mx-auto flex max-w-form flex-col items-center gap-3 px-4 py-14 text-center text-balance">
      <span className="grid size-16 place-items-center rounded-lg bg-accent-soft text-accent-ink">
        <Icon aria-hidden className="size-7" strokeWidth={1.75} />
      </span>
      <Heading className="text-xl">{title}</Heading>
      {children && <div className="text-muted">{children}</div>}
      {action && <div className="mt-3">{action}</div>}
    </div>
  );
}
