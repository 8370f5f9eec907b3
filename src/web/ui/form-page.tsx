import type { ReactNode } from 'react';
import { Card } from './card.tsx';

/** The frame of the screens that are one form. */
export function FormPage({ title, lead, children }: { title: string; lead: ReactNode; children: ReactNode }) {
  return (
    <div className="mx-auto w-full max-w-form px-4 py-10 sm:py-14">
      <Card className="grid gap-6 p-6 sm:p-8">
        <div className="grid gap-1">
          <h1 className="text-2xl">{title}</h1>
          <p className="text-muted">{lead}</p>
        </div>
        {children}
      </Card>
    </div>
  );
}

/** What the shop said to the form as a whole; announced when it appears. */
export function FormProblem({ children }: { children: ReactNode }) {
  return (
    <p role="alert" className="rounded-md bg-danger-soft px-4 py-3 text-danger empty:hidden">
      {children}
    </p>
  );
}
