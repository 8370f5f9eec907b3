import { ArrowLeft } from 'lucide-react';
import { Link } from 'react-router';
import { useTitle } from '../../lib/use-title.ts';
import { RequireAdmin } from '../../state/require-session.tsx';
import { iconButtonClass } from '../../ui/icon-button.tsx';
import { Spinner } from '../../ui/spinner.tsx';

export function AdminScreen() {
  useTitle('Admin Dashboard');
  return (
    <RequireAdmin verifying={<Verifying />}>
      <div className="mx-auto grid w-full max-w-page gap-6 px-4 py-8 sm:px-6">
        <div className="flex items-center gap-3">
          <Link
            to="/profile"
            title="Back to profile"
            aria-label="Back to profile"
            className={iconButtonClass('-ml-2.5')}
          >
            <ArrowLeft aria-hidden className="size-5.5" />
          </Link>
          <div>
            <h1 className="text-2xl">Admin Dashboard</h1>
            <p className="text-muted">Complete control & management</p>
          </div>
        </div>
      </div>
    </RequireAdmin>
  );
}

function Verifying() {
  return (
    <div role="status" className="flex items-center justify-center gap-3 px-4 py-24 text-muted">
      <Spinner className="size-6 text-accent" />
      <h1 className="font-sans text-base font-normal tracking-normal">Verifying admin access...</h1>
    </div>
  );
}
