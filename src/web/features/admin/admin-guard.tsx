import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect } from 'react';
import { useNavigate } from 'react-router';
import { RequireAdmin } from '../../state/require-session.tsx';
import { useShop } from '../../state/shop.tsx';
import { Spinner } from '../../ui/spinner.tsx';
import { onReadRefused } from './admin-queries.ts';

/** For administrators only; a read that is refused to them as well leads home (docs/conformance.md). */
export function AdminGuard({ children }: { children: ReactNode }) {
  return (
    <RequireAdmin verifying={<Waiting>Verifying admin access...</Waiting>}>
      <HomeWhenRefused />
      <ReadOnlyDemo />
      {children}
    </RequireAdmin>
  );
}

/** The shop refuses what would change it (server/demo/public-demo.ts); said before somebody fills in a form. */
function ReadOnlyDemo() {
  if (!useShop()?.publicDemo) return null;
  return (
    <div className="mx-auto w-full max-w-page px-4 pt-6 sm:px-6">
      <p className="rounded-md bg-info-soft px-4 py-3 text-info">
        The dashboard of this public demo is read-only: look at everything, but forms and buttons that change
        something are refused.
      </p>
    </div>
  );
}

function HomeWhenRefused() {
  const client = useQueryClient();
  const navigate = useNavigate();
  useEffect(() => onReadRefused(client, () => void navigate('/', { replace: true })), [client, navigate]);
  return null;
}

/** The whole screen, while there is nothing else to show. */
export function Waiting({ children }: { children: ReactNode }) {
  return (
    <div role="status" className="flex items-center justify-center gap-3 px-4 py-24 text-muted">
      <Spinner className="size-6 text-accent" />
      <h1 className="font-sans text-base font-normal tracking-normal">{children}</h1>
    </div>
  );
}
