import { type ReactNode, useId } from 'react';
import { Card } from '../../../ui/card.tsx';

interface ProfileCardProps {
  title: string;
  /** Beside the title: how it stands, or what can be done. */
  aside?: ReactNode;
  children: ReactNode;
}

export function ProfileCard({ title, aside, children }: ProfileCardProps) {
  const titleId = useId();
  return (
    <Card role="region" aria-labelledby={titleId} className="grid gap-5 p-6 sm:p-8">
      <div className="flex min-h-11 flex-wrap items-center justify-between gap-3">
        <h2 id={titleId} className="text-xl">
          {title}
        </h2>
        {aside}
      </div>
      {children}
    </Card>
  );
}
