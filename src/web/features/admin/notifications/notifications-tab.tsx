import {
  Bell,
  Check,
  CheckCheck,
  CircleAlert,
  Landmark,
  type LucideIcon,
  MailX,
  MessageSquareWarning,
  MessageSquareX,
  PackageMinus,
  PackageX,
  Settings2,
  ShoppingCart,
  Undo2,
} from 'lucide-react';
import { useState } from 'react';
import { isolated, orderNumber } from '../../../../shared/format.ts';
import {
  DIGEST_HOUR,
  type NoticeDelivery,
  type NoticeKind,
  type NoticeSettings,
  noticeDeliveryNames,
  noticeKindNames,
  noticeKinds,
  noticeTitle,
  type OwnerNotice,
} from '../../../../shared/notices.ts';
import { call } from '../../../lib/api-client.ts';
import { Moment } from '../../../lib/moment.tsx';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { Badge, Card, classNames, Skeleton } from '../../../ui/display.tsx';
import { Select } from '../../../ui/field.tsx';
import { Form, FormProblem } from '../../../ui/form-page.tsx';
import { Checkbox } from '../../../ui/input.tsx';
import { LoadFailureBanner } from '../../../ui/loading.tsx';
import { useAction, useSeenVersion } from '../action-dialog.tsx';
import { CardLink, ListHeading, SearchedList, useSearchedList } from '../admin-list.tsx';
import { useAdminData, useDashboardUrl } from '../dashboard.ts';

const UNREAD = 'unread';
const SETTINGS = 'notification-settings';

const searched = ({ product, order }: OwnerNotice) => [product?.name ?? '', order ? `#${orderNumber(order._id)}` : ''];

export function NotificationsTab() {
  const { get, set } = useDashboardUrl();
  const isUnread = get('status') === UNREAD;
  const closeSettings = () => set({ dialog: '' });
  const list = useSearchedList('GET /admin/notices', isUnread ? { unread: 'true' } : {}, searched);
  const newest = list.search.typed.trim() === '' ? list.entries[0] : undefined;
  return (
    <div className="grid grid-cols-1 gap-5">
      <ListHeading
        title="Notifications"
        list={list}
        of="notifications"
        count={`${list.total} ${isUnread ? 'unread' : 'in the last 90 days'}`}>
        <div className="flex flex-wrap gap-3 max-sm:w-full">
          <Select
            label="Show"
            labelHidden
            className="w-32 max-sm:grow"
            value={isUnread ? UNREAD : ''}
            onChange={({ target }) => set({ status: target.value })}
            options={{ '': 'All', [UNREAD]: 'Unread' }}
          />
          <Button variant="secondary" icon={Settings2} onClick={() => set({ dialog: SETTINGS })}>
            Settings
          </Button>
          <MarkAllRead newest={list.entries.some(({ isRead }) => !isRead) ? newest?._id : undefined} />
        </div>
      </ListHeading>
      <SearchedList
        list={list}
        of={isUnread ? 'unread notifications' : 'notifications'}
        placeholder="Product or order"
        icon={Bell}
        whenEmpty={
          isUnread
            ? 'You have read them all'
            : 'New orders, stock that runs low, problem reports and failures appear here'
        }>
        <Card>
          <ul
            aria-label="Notifications"
            aria-busy={list.isRefreshing}
            className="grid grid-cols-1 divide-y divide-line">
            {list.entries.map((notice) => (
              <NoticeRow key={notice._id} notice={notice} />
            ))}
          </ul>
        </Card>
      </SearchedList>
      <Dialog isOpen={get('dialog') === SETTINGS} onClose={closeSettings} title="Notification settings">
        <NotificationSettings onClose={closeSettings} />
      </Dialog>
    </div>
  );
}

const useMarkRead = (id: string, { older, successMessage }: { older: boolean; successMessage: string }) =>
  useAction({
    send: () => call('POST /admin/notices/:id/read', { params: { id }, body: { older } }),
    successMessage,
    errorMessage: 'This could not be marked as read',
  });

// Disabled without an unread notice: a button that appears with the list would move the other controls.
/** Marks the newest shown notice and all older ones as read. Notices that have arrived since stay unread. */
function MarkAllRead({ newest: id = '' }: { newest: string | undefined }) {
  const { run, isBusy, problem } = useMarkRead(id, { older: true, successMessage: 'All marked as read' });
  return (
    <>
      <Button
        variant="secondary"
        icon={CheckCheck}
        disabled={!id}
        loading={isBusy}
        className="max-sm:grow"
        onClick={run}>
        Mark all as read
      </Button>
      <FormProblem>{problem}</FormProblem>
    </>
  );
}

const icons: Record<NoticeKind, [Icon: LucideIcon, className: string]> = {
  'new-order': [ShoppingCart, 'text-accent-ink'],
  'low-stock': [PackageMinus, 'text-warning'],
  'sold-out': [PackageX, 'text-danger'],
  'problem-report': [MessageSquareWarning, 'text-warning'],
  'cancel-request': [MessageSquareX, 'text-warning'],
  'refund-failed': [Undo2, 'text-danger'],
  dispute: [Landmark, 'text-danger'],
  'mail-failed': [MailX, 'text-warning'],
  alert: [CircleAlert, 'text-danger'],
};

function NoticeRow({ notice }: { notice: OwnerNotice }) {
  const { _id: id, kind, createdAt, isRead } = notice;
  const [Icon, iconClass] = icons[kind];
  const title = noticeTitle(notice);
  const path = pathOf(notice);
  const { run, isBusy, problem } = useMarkRead(id, { older: false, successMessage: 'Marked as read' });
  return (
    <li
      tabIndex={-1}
      className="relative flex items-center gap-3 p-4 outline-none transition-colors first:rounded-t-lg last:rounded-b-lg hover:bg-sunken sm:gap-4">
      <Icon aria-hidden className={classNames('size-5 shrink-0', iconClass)} />
      <div className="grid min-w-0 flex-1 gap-0.5">
        <p className={classNames('wrap-anywhere', !isRead && 'font-semibold')}>
          {path === null ? title : <CardLink to={path}>{title}</CardLink>}
        </p>
        <p className="flex flex-wrap items-center gap-2 text-sm text-muted">
          <Moment at={createdAt} />
          {!isRead && <Badge tone="accent">Unread</Badge>}
        </p>
        <FormProblem>{problem}</FormProblem>
      </div>
      {!isRead && (
        <Button
          variant="quiet"
          size="sm"
          icon={Check}
          loading={isBusy}
          className="relative min-h-11 min-w-11 shrink-0"
          aria-label={`Mark as read: ${title}`}
          onClick={run}>
          <span className="max-sm:hidden">Mark as read</span>
        </Button>
      )}
    </li>
  );
}

/** Returns the path of the dashboard's page about a notice's subject; null if the notice has no subject (any more). */
function pathOf({ order, product, report, alert }: OwnerNotice): string | null {
  if (product?.kind === 'digital') return `/admin?tab=digital&dialog=stock&product=${product._id}`;
  if (product) return `/admin/products/${product._id}`;
  if (report) return `/admin/problem-reports/${report}`;
  if (alert) return '/admin';
  return order && `/admin/orders/${order._id}`;
}

function NotificationSettings({ onClose }: { onClose(): void }) {
  const query = useAdminData(['notice-settings'], () => call('GET /admin/notice-settings'));
  const { data, error, isFetchedAfterMount } = query;
  // The form starts with freshly loaded settings, not with cached settings.
  if (data && isFetchedAfterMount) return <SettingsForm settings={data} onClose={onClose} />;
  if (!error) return <Skeleton className="h-96" />;
  return <LoadFailureBanner message="The settings could not be loaded." query={query} />;
}

function SettingsForm({ settings, onClose }: { settings: NoticeSettings; onClose(): void }) {
  // Only what was changed here, so that after a conflict the other fields show the newer settings.
  const [changed, setChanged] = useState<Partial<NoticeSettings['deliveries']>>({});
  const [mailed, setMailed] = useState<Record<string, boolean>>({});
  const { version, onFailure } = useSeenVersion(settings.version);
  const deliveries = { ...settings.deliveries, ...changed };
  const recipients = settings.recipients.map((one) => ({ ...one, isMailed: mailed[one._id] ?? one.isMailed }));
  const isChanged =
    recipients.some(({ isMailed }, index) => settings.recipients[index]?.isMailed !== isMailed) ||
    noticeKinds.some((kind) => deliveries[kind] !== settings.deliveries[kind]);
  const { run, ...form } = useAction({
    send: () => {
      const chosen = recipients.map(({ _id, isMailed }) => ({ _id, isMailed }));
      return call('PUT /admin/notice-settings', { body: { version, deliveries, recipients: chosen } });
    },
    successMessage: 'Settings saved',
    errorMessage: 'The settings could not be saved',
    onFailure,
    onDone: onClose,
  });
  return (
    <Form {...form} action="Save" className="gap-5" onSubmit={run} onCancel={onClose} focused isFilled={isChanged}>
      <div className="grid grid-cols-1 gap-4 sm:grid-cols-2">
        {noticeKinds.map((kind) => (
          <Select
            key={kind}
            label={noticeKindNames[kind]}
            options={noticeDeliveryNames}
            value={deliveries[kind]}
            onChange={({ target }) => setChanged({ ...changed, [kind]: target.value as NoticeDelivery })}
          />
        ))}
      </div>
      <p className="text-sm text-muted">
        The daily mail is sent at {DIGEST_HOUR}:00 (GMT+8). The dashboard counts everything that is not off.
      </p>
      <fieldset className="grid gap-1">
        <legend className="text-sm font-semibold">Administrators who get the mails</legend>
        {recipients.map(({ _id, name, email, isMailed }) => (
          <Checkbox
            key={_id}
            className="wrap-anywhere"
            checked={isMailed}
            onChange={({ target: { checked } }) => setMailed({ ...mailed, [_id]: checked })}>
            <span className="min-w-0">
              {isolated(name)} <span className="text-muted">{email}</span>
            </span>
          </Checkbox>
        ))}
      </fieldset>
    </Form>
  );
}
