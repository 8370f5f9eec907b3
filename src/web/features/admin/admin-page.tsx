import { ArrowLeft } from 'lucide-react';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { useTitle } from '../../lib/use-title.ts';
import { iconButtonClass } from '../../ui/icon-button.tsx';
import { AdminGuard } from './admin-guard.tsx';

interface AdminPageProps {
  title: string;
  /** Where the arrow leads, as in `/admin?tab=orders`. */
  back?: string;
  children: ReactNode;
}

/** The frame of the pages below the dashboard. */
export function AdminPage({ title, back = '/admin', children }: AdminPageProps) {
  useTitle(title);
  return (
    <AdminGuard>
      <div className="mx-auto grid w-full max-w-page grid-cols-1 gap-6 px-4 py-8 sm:px-6">
        <div className="flex items-center gap-3">
          <BackLink to={back} label="Back to the dashboard" />
          <h1 className="min-w-0 text-2xl wrap-anywhere">{title}</h1>
        </div>
        {children}
      </div>
    </AdminGuard>
  );
}

export function BackLink({ to, label }: { to: string; label: string }) {
  return (
    <Link to={to} title={label} aria-label={label} className={iconButtonClass('-ml-2.5')}>
      <ArrowLeft aria-hidden className="size-5.5" />
    </Link>
  );
}
