import { CircleCheck, CircleDashed, type LucideIcon, TriangleAlert } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { type AdminAlert, type AlertKind, alertTitles } from '../../../../shared/admin.ts';
import { orderNumber } from '../../../../shared/format.ts';
import { id } from '../../../../shared/text.ts';
import { call } from '../../../lib/api-client.ts';
import { Moment } from '../../../lib/moment.tsx';
import { useTwoFactorStatus } from '../../../state/account-status.ts';
import { useShop } from '../../../state/shop.ts';
import { Button, ButtonLink } from '../../../ui/button.tsx';
import { classNames, Section } from '../../../ui/display.tsx';
import { TextLink } from '../../../ui/form-page.tsx';
import { ActionDialog } from '../action-dialog.tsx';
import { productListPath, useAdminData, useAdminList, useDashboardUrl, useStats } from '../dashboard.ts';

const advice: Record<AlertKind, string> = {
  'unknown-payment':
    'Refund it at the payment provider, or deliver what was bought. If it was captured, the items that it names are taken off sale, unless they were sold again.',
  'payment-mismatch': 'Nothing was delivered for it. Compare amount and currency at the payment provider.',
  'payment-not-found':
    'Look for it at the payment provider. If it is in another account, set the keys of that account until the order is finished.',
  'not-delivered':
    'Its card was accepted, or may have been. The shop tries again every 30 seconds. Check the payment provider and the log of the server. This alert ends once the order is finished.',
  'delivered-without-payment': 'Look at the order and at its payment at the provider.',
  'refund-failed':
    'The page of the order says why. Try again there, or note that the buyer got the money in another way. If no refund failed there, refund the missing amount at the payment provider.',
  'partial-refund':
    'Enter the same amount as a refund on the order’s page, which ends this: the money goes back only once. If it was for something else, acknowledge this first.',
  'refunded-twice':
    'Its refunds at the payment provider and those that were settled in another way are more than was paid. Ask the buyer for the difference. If less was given in another way than the settled refund says, acknowledge this.',
  'held-back':
    'Some of it was given back, or may be another buyer’s. Enter the refund again on its page; the money goes back only once.',
  'unreadable-item': 'Its row was altered in the database. Restore it, or replace the item on its order’s page.',
  'unreadable-file': 'It was altered in the database. Upload it again on its product’s page.',
  dispute: 'Unseen items are frozen. Answer it at the payment provider, with the evidence on its order’s page.',
  inquiry:
    'Unseen items are frozen. Answer it at the payment provider, with the evidence on its order’s page, or refund the order before it is disputed.',
  'fraud-warning': 'Unseen items are frozen. Refund the order before it is disputed, or unfreeze it.',
  'dispute-lost': 'The bank has taken the money back, and the goods were withdrawn.',
  'dispute-lost-in-part':
    'The bank has taken a part of the money. Unseen items are frozen: unfreeze them if the buyer keeps the rest, or refund the order.',
  'dispute-reversed':
    'The shop has the money again, and withdrawn goods stay withdrawn. Refund the order on its page, or acknowledge this alert if the buyer has the goods. A refund that the shop settled with the dispute is requested again; give one that you settled with it yourself.',
};

export function NeedsAttention() {
  const { data: alerts } = useAdminData(['alerts'], async () => ({ data: await call('GET /admin/alerts') }));
  return alerts !== undefined && alerts.data.length > 0 && <Alerts alerts={alerts.data} more={alerts.more} />;
}

function Alerts({ alerts, more }: { alerts: AdminAlert[]; more: number }) {
  const [chosen, setChosen] = useState<AdminAlert | null>(null);
  return (
    <Section heading="h3" title="Needs attention">
      <ul className="grid divide-y divide-line">
        {alerts.map((alert) => (
          <Alert key={alert._id} alert={alert} onAcknowledge={() => setChosen(alert)} />
        ))}
      </ul>
      {more > 0 && <p className="text-muted">Only the newest are listed. Older ones that are open: {more}.</p>}
      <ActionDialog
        title="Acknowledge"
        about={chosen?._id}
        isOpen={chosen !== null}
        send={(reason) =>
          call('POST /admin/alerts/:id/acknowledge', { params: { id: chosen?._id ?? '' }, body: { reason } })
        }
        successMessage="Acknowledged"
        errorMessage="This could not be acknowledged"
        onClose={() => setChosen(null)}
        hint="For administrators only, kept in the audit log">
        <p>
          <strong>{chosen && alertTitles[chosen.kind]}</strong> is taken off the dashboard and not raised again for{' '}
          <span className="wrap-anywhere">{chosen && subjectOf(chosen)}</span>.
        </p>
      </ActionDialog>
    </Section>
  );
}

const isOwnId = (subject: string) => id.safeParse(subject.split('/')[0]).success;

/** The order or product of an alert. Its own subject may be the id of another record, which administrators do not know. */
function subjectOf({ subject, orderId, product }: AdminAlert): string {
  if (!isOwnId(subject)) return subject;
  return orderId === null ? (product ?? subject) : `order #${orderNumber(orderId)}`;
}

function Alert({ alert, onAcknowledge }: { alert: AdminAlert; onAcknowledge(): void }) {
  const { kind, subject, orderId, product, raisedAt } = alert;
  const title = alertTitles[kind];
  return (
    <Task
      icon={TriangleAlert}
      iconClass="text-danger"
      title={title}
      className="items-start"
      action={
        <Button
          variant="secondary"
          size="sm"
          aria-label={`Acknowledge: ${title}, ${subjectOf(alert)}`}
          onClick={onAcknowledge}>
          Acknowledge
        </Button>
      }>
      <p className="text-muted">{advice[kind]}</p>
      <p className="text-sm text-muted wrap-anywhere">
        <Moment at={raisedAt} />
        {(!isOwnId(subject) || (orderId === null && product === null)) && ` · ${subject}`}
        {product !== null && (
          <>
            {' · '}
            <TextLink to={productListPath('digital', product)}>{product}</TextLink>
          </>
        )}
        {orderId !== null && kind !== 'unknown-payment' && (
          <>
            {' · '}
            <TextLink to={`/admin/orders/${orderId}`}>Order #{orderNumber(orderId)}</TextLink>
          </>
        )}
      </p>
    </Task>
  );
}

/** Shows the owner of a new shop what to do first. Hidden once a product can be bought or there is an order. */
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
  const takesCards = useShop()?.payments.provider === 'stripe';
  const { data: twoFactor } = useTwoFactorStatus();
  const open = (label: string, filters?: Record<string, string>) => (
    <Button size="sm" onClick={() => goTo('digital', filters)}>
      {label}
    </Button>
  );
  const steps = [
    {
      title: 'Add a product',
      isDone: hasProducts,
      text: 'Name, price and picture; you can change all of it later.',
      action: open('Add Digital Product', { dialog: 'add' }),
    },
    {
      title: 'Put items in its stock',
      isDone: false,
      text: 'Each key, licence or account is sold once.',
      action: hasProducts && open('View products'),
    },
    {
      title: 'Take real cards',
      isDone: takesCards,
      text: takesCards
        ? 'Payments go to your Stripe account.'
        : 'The shop takes test cards only. Set the three Stripe settings of the README and start it again.',
    },
    {
      title: 'Protect your account',
      isDone: twoFactor?.enabled === true,
      text: 'Two-factor authentication keeps out a stranger who knows your password.',
      action: twoFactor?.enabled === false && (
        <ButtonLink to="/2fa-setup" variant="secondary" size="sm">
          Set up 2FA
        </ButtonLink>
      ),
    },
  ];
  return (
    <Section heading="h3" title="First steps">
      {!hasProducts && <p className="text-muted">Visitors see “Opening soon” until the first product is on sale.</p>}
      <ol className="grid divide-y divide-line">
        {steps.map(({ title, isDone, text, action }) => (
          <Task
            key={title}
            icon={isDone ? CircleCheck : CircleDashed}
            iconClass={isDone ? 'text-success' : 'text-accent-ink'}
            className="items-center"
            title={
              <>
                {title}
                {isDone && <span className="sr-only"> (done)</span>}
              </>
            }
            action={!isDone && action}>
            <p className="text-muted">{text}</p>
          </Task>
        ))}
      </ol>
    </Section>
  );
}

interface TaskProps extends Record<'title' | 'action' | 'children', ReactNode> {
  icon: LucideIcon;
  iconClass: string;
  className: string;
}

function Task({ icon: Icon, iconClass, title, action, className, children }: TaskProps) {
  return (
    <li className={classNames('flex flex-wrap justify-between gap-3 py-3 first:pt-0 last:pb-0', className)}>
      <div className="flex min-w-0 flex-1 basis-72 gap-3">
        <Icon aria-hidden className={classNames('mt-0.5 size-5 shrink-0', iconClass)} />
        <div className="grid min-w-0 gap-1">
          <p className="font-semibold">{title}</p>
          {children}
        </div>
      </div>
      {action}
    </li>
  );
}
