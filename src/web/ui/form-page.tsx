import type { LucideIcon } from 'lucide-react';
import { type ComponentProps, type ReactNode, useEffect, useRef } from 'react';
import { Link } from 'react-router';
import { Card } from './card.tsx';
import { classNames } from './class-names.ts';

/** A screen that consists of one form. */
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

/** An error of the form as a whole; announced when it appears. */
export function FormProblem({ children }: { children: ReactNode }) {
  return (
    <p role="alert" className="rounded-md bg-danger-soft px-4 py-3 text-danger empty:hidden">
      {children}
    </p>
  );
}

interface NoticeProps {
  icon: LucideIcon;
  tone: 'success' | 'warning';
  title: string;
  children: ReactNode;
}

/** A screen that replaces a form; its heading takes the focus, so that screen readers announce it. */
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
          )}>
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

/** An emphasised link within a text. */
export const TextLink = ({ className, ...link }: ComponentProps<typeof Link>) => (
  <Link {...link} className={classNames('font-semibold text-accent-ink underline', className)} />
);
