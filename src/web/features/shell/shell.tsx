import { Suspense } from 'react';
import { Outlet } from 'react-router';
import { Spinner } from '../../ui/spinner.tsx';

export function Shell() {
  return (
    <main id="content" tabIndex={-1}>
      <Suspense fallback={<Spinner label="Loading" />}>
        <Outlet />
      </Suspense>
    </main>
  );
}
