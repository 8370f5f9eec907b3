import { useState } from 'react';
import {
  DIGEST_HOUR,
  type NoticeDelivery,
  type NoticeKind,
  type NoticeSettings,
  noticeKindNames,
} from '../../../../shared/notices.ts';
import { call } from '../../../lib/api-client.ts';
import { Skeleton } from '../../../ui/display.tsx';
import { Select } from '../../../ui/field.tsx';
import { Form } from '../../../ui/form-page.tsx';
import { Checkbox } from '../../../ui/input.tsx';
import { LoadFailureBanner } from '../../../ui/loading.tsx';
import { useAction, useSeenVersion } from '../action-dialog.tsx';
import { useAdminData } from '../dashboard.ts';

export function NotificationSettings({ onClose }: { onClose(): void }) {
  const query = useAdminData(['notice-settings'], () => call('GET /admin/notice-settings'));
  const { data, error, isFetchedAfterMount } = query;
  // The form starts with freshly loaded settings, not with cached settings.
  if (data && isFetchedAfterMount) return <SettingsForm settings={data} onClose={onClose} />;
  if (!error) return <Skeleton className="h-96" />;
  return <LoadFailureBanner message="The settings could not be loaded." query={query} />;
}

const deliveryNames: Record<NoticeDelivery, string> = {
  off: 'Off',
  dashboard: 'Dashboard only',
  digest: 'Daily mail',
  each: 'Mail at once',
};

function SettingsForm({ settings, onClose }: { settings: NoticeSettings; onClose(): void }) {
  // Only what was changed here, so that after a conflict the other fields show the newer settings.
  const [changed, setChanged] = useState<Partial<NoticeSettings['deliveries']>>({});
  const [mailed, setMailed] = useState<Record<string, boolean>>({});
  const { version, onFailure } = useSeenVersion(settings.version);
  const deliveries = { ...settings.deliveries, ...changed };
  const recipients = settings.recipients.map((one) => ({ ...one, isMailed: mailed[one._id] ?? one.isMailed }));
  const isChanged =
    recipients.some(({ isMailed }, index) => settings.recipients[index]?.isMailed !== isMailed) ||
    (Object.keys(noticeKindNames) as NoticeKind[]).some((kind) => deliveries[kind] !== settings.deliveries[kind]);
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
        {(Object.keys(noticeKindNames) as NoticeKind[]).map((kind) => (
          <Select
            key={kind}
            label={noticeKindNames[kind]}
            options={deliveryNames}
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
              {name} <span className="text-muted">{email}</span>
            </span>
          </Checkbox>
        ))}
      </fieldset>
    </Form>
  );
}
