import { CircleCheck, CircleDashed } from 'lucide-react';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { useTwoFactorStatus } from '../../../state/account-status.ts';
import { useShop } from '../../../state/shop.ts';
import { Button, buttonClass } from '../../../ui/button.tsx';
import { useAdminList, useStats } from '../admin-queries.ts';
import { useDashboardUrl } from '../dashboard-url.ts';
import { OverviewCard } from './overview-card.tsx';

/** What the owner of a new shop does first; gone once something can be bought, or was. */
export function FirstSteps() {
  const { data: stats } = useStats();
  const digital = useAdminList('GET /admin/digital-products', { status: 'active' }).data?.pages[0]?.data;
  const physical = useAdminList('GET /admin/products', {}).data?.pages[0]?.data;
  if (stats === undefined || digital === undefined || physical === undefined) return null;
  const canBeBought =
    digital.some(({ stock }) => stock > 0) || physical.some(({ stock, isActive }) => isActive && stock > 0);
  return canBeBought || stats.totalOrders > 0 ? null : <Steps hasProducts={stats.totalProducts > 0} />;
}

function Steps({ hasProducts }: { hasProducts: boolean }) {
  const { goTo } = useDashboardUrl();
  const provider = useShop()?.payments.provider;
  const { data: twoFactor } = useTwoFactorStatus();
  return (
    <OverviewCard title="First steps">
      <p className="text-muted">Visitors read that the shop opens soon until the first product is there.</p>
      <ol className="grid divide-y divide-line">
        <Step
          title="Add a product"
          isDone={hasProducts}
          action={
            <Button size="sm" onClick={() => goTo('digital', { dialog: 'add' })}>
              Add Digital Product
            </Button>
          }
        >
          Name, price and picture; you can change all of it later.
        </Step>
        <Step
          title="Put items in its stock"
          isDone={false}
          action={
            hasProducts && (
              <Button size="sm" onClick={() => goTo('digital')}>
                View products
              </Button>
            )
          }
        >
          Each key, licence or account is sold once.
        </Step>
        <Step title="Take real cards" isDone={provider === 'stripe'}>
          {provider === 'stripe'
            ? 'Payments go to your Stripe account.'
            : 'The shop takes test cards only. Set the three Stripe settings of the README and start it again.'}
        </Step>
        <Step
          title="Protect your account"
          isDone={twoFactor?.enabled === true}
          action={
            twoFactor?.enabled === false && (
              <Link to="/2fa-setup" className={buttonClass('secondary', 'sm')}>
                Set up 2FA
              </Link>
            )
          }
        >
          Two-factor authentication keeps out a stranger who knows your password.
        </Step>
      </ol>
    </OverviewCard>
  );
}

interface StepProps {
  title: string;
  isDone: boolean;
  action?: ReactNode;
  children: ReactNode;
}

function Step({ title, isDone, action, children }: StepProps) {
  const Icon = isDone ? CircleCheck : CircleDashed;
  return (
    <li className="flex flex-wrap items-center justify-between gap-3 py-3 first:pt-0 last:pb-0">
      <div className="flex min-w-0 flex-1 basis-72 gap-3">
        <Icon
          aria-hidden
          className={`mt-0.5 size-5 shrink-0 ${isDone ? 'text-success' : 'text-accent-ink'}`}
        />
        <div className="grid min-w-0 gap-1">
          <p className="font-semibold">
            {title}
            {isDone && <span className="sr-only"> (done)</span>}
          </p>
          <p className="text-muted">{children}</p>
        </div>
      </div>
      {!isDone && action}
    </li>
  );
}
