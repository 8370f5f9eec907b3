import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Info, Pencil } from 'lucide-react';
import { type ComponentProps, type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { type FieldPath, get, useWatch } from 'react-hook-form';
import * as z from 'zod/mini';
import { DEFAULT_COUNTRY, typedAddress, type User } from '../../../../shared/accounts.ts';
import { personName, phone } from '../../../../shared/text.ts';
import { call, messageOf } from '../../../lib/api-client.ts';
import { addressLimits, emailField, emailLimit, filled, maxLengthOf } from '../../../lib/form-fields.ts';
import { isKept, useSendForm } from '../../../lib/forms.ts';
import { mineKey, useMine } from '../../../state/account-status.ts';
import { useLateAnswer } from '../../../state/answers.ts';
import { useSession } from '../../../state/session.tsx';
import { useCountries } from '../../../state/shop.ts';
import { AddressFields } from '../../../ui/address-fields.tsx';
import { Button } from '../../../ui/button.tsx';
import { Callout, Card } from '../../../ui/display.tsx';
import { Form, FormProblem, SuccessMessage, useSuccess } from '../../../ui/form-page.tsx';
import { EmailField, Field } from '../../../ui/input.tsx';

const keptAs = ({ _id }: User) => `details ${_id}`;

export function DetailsCard({ user }: { user: User }) {
  const [isEditing, setIsEditing] = useState(() => isKept(keptAs(user)));
  const queries = useQueryClient();
  const { success, showSuccess } = useSuccess();
  const edit = useRef<HTMLButtonElement>(null);

  function view() {
    flushSync(() => setIsEditing(false));
    edit.current?.focus();
  }

  function saved(newEmail: string | null) {
    if (newEmail !== null) void queries.invalidateQueries({ queryKey: pendingEmailKey(user) });
    showSuccess('Profile updated');
    view();
  }

  return (
    <ProfileCard
      title="My Details"
      aside={
        !isEditing && (
          <Button ref={edit} variant="secondary" onClick={() => setIsEditing(true)}>
            <Pencil aria-hidden className="size-4.5" />
            Edit Profile
          </Button>
        )
      }>
      {isEditing ? <DetailsForm user={user} onSaved={saved} onCancel={view} /> : <Details user={user} />}
      <PendingEmail user={user} onSuccess={showSuccess} />
      <SuccessMessage>{success}</SuccessMessage>
    </ProfileCard>
  );
}

function Details({ user }: { user: User }) {
  return (
    <dl className="grid gap-4 sm:grid-cols-2">
      {shownFields.map(({ name, label }) => (
        <div key={name} className="grid content-start gap-0.5">
          <dt className="text-sm text-muted">{label}</dt>
          <dd className="font-medium wrap-anywhere">{get(user, name) || 'Not given'}</dd>
        </div>
      ))}
    </dl>
  );
}

const details = z.object({
  name: filled('Please enter your name', personName),
  email: emailField,
  phone,
  address: typedAddress,
});
type Details = z.infer<typeof details>;

interface FieldOfDetails extends ComponentProps<'input'> {
  name: FieldPath<Details>;
  label: string;
}

const ownFields: FieldOfDetails[] = [
  { name: 'name', label: 'Name', autoComplete: 'name', required: true, maxLength: maxLengthOf(personName) },
  { name: 'email', label: 'Email', autoComplete: 'email', required: true, ...emailLimit },
  { name: 'phone', label: 'Phone', type: 'tel', autoComplete: 'tel', maxLength: maxLengthOf(phone) },
];

const shownFields: { name: FieldPath<Details>; label: string }[] = [
  ...ownFields,
  { name: 'address.street', label: 'Street' },
  { name: 'address.city', label: 'City' },
  { name: 'address.state', label: 'State' },
  { name: 'address.zipCode', label: 'Zip Code' },
  { name: 'address.country', label: 'Country' },
];

function detailsOf({ name, email, phone, address }: User): Details {
  return { name, email, phone, address: { ...address, country: address.country || DEFAULT_COUNTRY } };
}

interface DetailsFormProps {
  user: User;
  /** `pendingEmail` is a new e-mail that has to be confirmed first. */
  onSaved(pendingEmail: string | null): void;
  onCancel(): void;
}

function DetailsForm({ user, onSaved, onCancel }: DetailsFormProps) {
  const { renewal } = useSession();
  const { showLate } = useLateAnswer();
  const countries = useCountries();
  const { fieldOf, setValue, getValues, control, formState, reset, forget, form } = useSendForm({
    schema: details,
    defaultValues: detailsOf(user),
    send: async (body) => {
      const renew = renewal();
      const { data, token, pendingEmail } = await call('PUT /auth/updatedetails', { body });
      renew({ token, user: data });
      onSaved(pendingEmail);
    },
    fieldFor: (rejected) => shownFields.find(({ name }) => name === rejected)?.name,
    errorMessage: 'Failed to update profile',
    onFailure: (_failure, message) => showLate(message),
    keepAs: keptAs(user),
    keepsDraft: true,
  });
  // Details that another tab saved replace the fields not edited here. Otherwise, saving this form would undo them.
  useEffect(() => reset(detailsOf(user), { keepDirtyValues: true, keepErrors: true }), [user, reset]);
  const chosen = useWatch({ control, name: 'address.country' });
  function cancel() {
    forget();
    onCancel();
  }
  return (
    <Form {...form} action="Save Changes" layout="card" onCancel={cancel} focused isFilled={formState.isDirty}>
      <div className="grid items-start gap-4 sm:grid-cols-2">
        {ownFields.map(({ name, ...field }) => {
          const props = { ...field, ...fieldOf(name) };
          if (name !== 'email') return <Field key={name} {...props} />;
          const take = (email: string) => setValue(name, email, { shouldDirty: true, shouldValidate: true });
          return <EmailField key={name} {...props} onTake={take} />;
        })}
      </div>
      <AddressFields
        legend="Address"
        isRequired={false}
        countries={countries}
        country={countries.data?.find(({ name }) => name === chosen)}
        form={{
          fieldOf: (name) => fieldOf(`address.${name}`),
          stateNow: () => getValues('address.state'),
          clearState: () => setValue('address.state', ''),
          limits: addressLimits,
        }}
      />
    </Form>
  );
}

const pendingEmailKey = ({ _id }: User) => mineKey(_id, 'pending-email');

const pendingActions = {
  resend: { label: 'Send the link again', done: 'The link is on its way again' },
  cancel: { label: 'Cancel the change', done: 'Your email stays as it is' },
};

function PendingEmail({ user, onSuccess }: { user: User; onSuccess(message: string): void }) {
  const queries = useQueryClient();
  // The link may be opened in another tab or on another device.
  const pending = useMine(['pending-email'], () => call('GET /auth/pendingemail'), { staleTime: 0 });
  const change = useMutation({
    mutationFn: async (action: keyof typeof pendingActions) => {
      if (action === 'resend') return (await call('POST /auth/pendingemail')).data;
      await call('DELETE /auth/pendingemail');
      return null;
    },
    onSuccess: (left, action) => {
      queries.setQueryData(pendingEmailKey(user), left);
      onSuccess(pendingActions[action].done);
    },
    // The change may have been confirmed or cancelled elsewhere.
    onError: () => void pending.refetch(),
  });

  if (!pending.data || pending.data.email === user.email) return null;
  return (
    <Callout tone="info" className="grid gap-3">
      <p className="flex items-start gap-3">
        <Info aria-hidden className="mt-0.5 size-5 shrink-0" />
        <span className="wrap-anywhere">
          We have mailed a link to <strong>{pending.data.email}</strong>. Until it is opened, {user.email} stays your
          address. Only the newest link works, and we send at most three an hour.
        </span>
      </p>
      {change.isError && <FormProblem>{messageOf(change.error, 'Update failed')}</FormProblem>}
      <div className="flex flex-wrap gap-3">
        {(['resend', 'cancel'] as const).map((action) => (
          <Button
            key={action}
            size="sm"
            variant="secondary"
            loading={change.isPending && change.variables === action}
            disabled={change.isPending && change.variables !== action}
            onClick={() => change.mutate(action)}>
            {pendingActions[action].label}
          </Button>
        ))}
      </div>
    </Callout>
  );
}

export function ProfileCard({ title, aside, children }: { title: string; aside?: ReactNode; children: ReactNode }) {
  const titleId = useId();
  return (
    <Card role="region" aria-labelledby={titleId} className="grid grid-cols-1 gap-5 p-6 sm:p-8">
      <div className="flex min-h-11 flex-wrap items-center justify-between gap-3">
        <h2 id={titleId} className="min-w-0 text-xl hyphens-auto wrap-anywhere">
          {title}
        </h2>
        {aside}
      </div>
      {children}
    </Card>
  );
}
