import type { ReactNode } from 'react';

/** One component, its name, and its states side by side. */
export function Specimen({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="grid gap-3">
      <h3 className="text-sm font-semibold tracking-normal text-muted">{name}</h3>
      <div className="flex flex-wrap items-start gap-4">{children}</div>
    </div>
  );
}
