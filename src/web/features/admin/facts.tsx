import type { ReactNode } from 'react';
import { Card } from '../../ui/card.tsx';
import { classNames } from '../../ui/class-names.ts';

interface FactProps {
  label: string;
  className?: string;
  children: ReactNode;
}

export function Fact({ label, className, children }: FactProps) {
  return (
    <div className={classNames('grid min-w-0 content-start gap-0.5', className)}>
      <dt className="text-muted">{label}</dt>
      <dd className="font-medium wrap-anywhere">{children}</dd>
    </div>
  );
}

/** A part of the page under its own heading. */
export function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Card role="region" aria-label={title} className="grid grid-cols-1 gap-4 p-5 sm:p-6">
      <h2 className="text-lg">{title}</h2>
      {children}
    </Card>
  );
}
