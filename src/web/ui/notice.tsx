import type { LucideIcon } from 'lucide-react';
import { type ReactNode, useEffect, useRef } from 'react';
import { Card } from './card.tsx';
import { classNames } from './class-names.ts';

interface NoticeProps {
  icon: LucideIcon;
  tone: 'success' | 'warning';
  title: string;
  children: ReactNode;
}

/** A screen that takes the form's place; its heading takes the focus, so that everybody hears what happened. */
export function Notice({ icon: Icon, tone, title, children }: NoticeProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    heading.current?.focus();
    window.scrollTo({ top: 0 });
  }, []);
  return (
    <div className="mx-auto w-full max-w-reading px-4 py-12">
      <Card className="grid justify-items-center gap-4 p-6 text-center text-balance sm:p-10">
        <span
          className={classNames(
            'grid size-16 place-items-center rounded-full',
            tone === 'success' ? 'bg-success-soft text-success' : 'bg-warning-soft text-warning',
          )}
        >
          <Icon aria-hidden className="size-8" />
        </span>
        <h1 ref={heading} tabIndex={-1} className="text-2xl outline-none">
          {title}
        </h1>
        {children}
      </Card>
    </div>
  );
}
