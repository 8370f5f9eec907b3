import { useMutation } from '@tanstack/react-query';
import { LayoutDashboard, MailWarning, ReceiptText } from 'lucide-react';
import { Link } from 'react-router';
import type { User } from '../../../../shared/accounts.ts';
import { call, messageOf } from '../../../lib/api-client.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Button, buttonClass } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { FormProblem } from '../../../ui/form-page.tsx';

export function ProfileHeader({ user }: { user: User }) {
  const { name, email, role, emailVerified } = user;
  const isAdmin = role === 'admin';
  return (
    <Card className="grid gap-6 p-6 sm:p-8">
      <div className="flex flex-wrap items-center gap-5">
        <span
          aria-hidden
          className="grid size-16 place-items-center rounded-full bg-accent-soft text-2xl font-bold text-accent-ink"
        >
          {name.charAt(0).toUpperCase()}
        </span>
        <div className="grid min-w-0 gap-1">
          <h1 className="text-2xl wrap-anywhere">{name}</h1>
          <p className="flex flex-wrap items-center gap-x-3 gap-y-1 text-muted">
            <span className="wrap-anywhere">{email}</span>
            <Badge tone="accent">{isAdmin ? 'Admin' : 'Customer'}</Badge>
          </p>
        </div>
      </div>
      {!emailVerified && <UnverifiedAddress email={email} />}
      <div className="flex flex-wrap gap-3">
        <Link to="/orders" className={buttonClass('secondary')}>
          <ReceiptText aria-hidden className="size-5" />
          My Orders
        </Link>
        {isAdmin && (
          <Link to="/admin" className={buttonClass()}>
            <LayoutDashboard aria-hidden className="size-5" />
            Admin Dashboard
          </Link>
        )}
      </div>
    </Card>
  );
}

function UnverifiedAddress({ email }: { email: string }) {
  const mail = useMutation({ mutationFn: () => call('verifyEmail') });
  return (
    <div className="grid justify-items-start gap-3 rounded-md bg-warning-soft p-4 text-warning">
      <p role="status" className="flex items-start gap-3">
        <MailWarning aria-hidden className="mt-0.5 size-5 shrink-0" />
        <span className="wrap-anywhere">
          {mail.isSuccess
            ? `We have mailed a link to ${email}. Open it to show that the address is yours.`
            : 'You have not shown yet that this address is yours.'}
        </span>
      </p>
      {mail.isError && <FormProblem>{messageOf(mail.error, 'The mail could not be sent')}</FormProblem>}
      {!mail.isSuccess && (
        <Button size="sm" variant="secondary" loading={mail.isPending} onClick={() => mail.mutate()}>
          Send verification mail
        </Button>
      )}
    </div>
  );
}
