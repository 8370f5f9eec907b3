import { standardSchemaResolver } from '@hookform/resolvers/standard-schema';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Info, Pencil } from 'lucide-react';
import { type ComponentProps, type ReactNode, useEffect, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { type FieldPath, useForm } from 'react-hook-form';
import * as z from 'zod/mini';
import { DEFAULT_COUNTRY, typedAddress, type User } from '../../../../shared/accounts.ts';
import { personName, phone } from '../../../../shared/text.ts';
import { CallError, call, messageOf } from '../../../lib/api-client.ts';
import { emailField, emailLimit, filled, maxLengthOf } from '../../../lib/form-fields.ts';
import { useSession } from '../../../state/session.tsx';
import { Button } from '../../../ui/button.tsx';
import { Field } from '../../../ui/field.tsx';
import { FormProblem } from '../../../ui/form-page.tsx';
import { EmailField } from '../../../ui/text-fields.tsx';
import { ProfileCard, SuccessMessage, useSuccess } from './profile-card.tsx';

export function DetailsCard({ user }: { user: User }) {
  const [isEditing, setIsEditing] = useState(false);
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

function Details({ user: { name, email, phone, address } }: { user: User }) {
  return (
    <dl className="grid gap-4 sm:grid-cols-2">
      <Entry label="Name">{name}</Entry>
      <Entry label="Email">{email}</Entry>
      <Entry label="Phone">{phone}</Entry>
      <Entry label="Street">{address.street}</Entry>
      <Entry label="City">{address.city}</Entry>
      <Entry label="State">{address.state}</Entry>
      <Entry label="Zip Code">{address.zipCode}</Entry>
      <Entry label="Country">{address.country}</Entry>
    </dl>
  );
}

function Entry({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="grid gap-0.5">
      <dt className="text-sm text-muted">{label}</dt>
      <dd className="font-medium wrap-anywhere">{children || 'Not given'}</dd>
    </div>
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

const { street, city, state, zipCode, country } = typedAddress.shape;
const limit = (text: z.ZodMiniType) => ({ maxLength: maxLengthOf(text) });

const fields: FieldOfDetails[] = [
  { name: 'name', label: 'Name', autoComplete: 'name', required: true, ...limit(personName) },
  { name: 'email', label: 'Email', autoComplete: 'email', required: true, ...emailLimit },
  { name: 'phone', label: 'Phone', type: 'tel', autoComplete: 'tel', ...limit(phone) },
  { name: 'address.street', label: 'Street', autoComplete: 'street-address', ...limit(street) },
  { name: 'address.city', label: 'City', autoComplete: 'address-level2', ...limit(city) },
  { name: 'address.state', label: 'State', autoComplete: 'address-level1', ...limit(state) },
  { name: 'address.zipCode', label: 'Zip Code', autoComplete: 'postal-code', ...limit(zipCode) },
  { name: 'address.country', label: 'Country', autoComplete: 'country-name', ...limit(country) },
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
  const { signIn } = useSession();
  const [problem, setProblem] = useState<string | null>(null);
  const { register, handleSubmit, formState, getFieldState, setError, setFocus, setValue } = useForm<Details>({
    resolver: standardSchemaResolver(details),
    mode: 'onTouched',
    defaultValues: detailsOf(user),
  });

  useEffect(() => setFocus('name'), [setFocus]);

  const save = handleSubmit(async (body) => {
    if (formState.isSubmitting) return;
    setProblem(null);
    try {
      const { data, token, pendingEmail } = await call('PUT /auth/updatedetails', { body });
      signIn({ token, user: data });
      onSaved(pendingEmail);
    } catch (failure) {
      const message = messageOf(failure, 'Failed to update profile');
      const refused = fields.find(({ name }) => failure instanceof CallError && name === failure.field);
      if (refused) setError(refused.name, { message }, { shouldFocus: true });
      else setProblem(message);
    }
  });

  return (
    <form noValidate onSubmit={(event) => void save(event)} className="grid gap-4">
      <div className="grid items-start gap-4 sm:grid-cols-2">
        {fields.map(({ name, ...field }) => {
          const props = { ...field, ...register(name), error: getFieldState(name, formState).error?.message };
          if (name !== 'email') return <Field key={name} {...props} />;
          const take = (email: string) => setValue(name, email, { shouldDirty: true, shouldValidate: true });
          return <EmailField key={name} {...props} onTake={take} />;
        })}
      </div>
      <FormProblem>{problem}</FormProblem>
      <div className="flex flex-wrap gap-3">
        <Button type="submit" loading={formState.isSubmitting}>
          Save Changes
        </Button>
        <Button variant="quiet" onClick={onCancel}>
          Cancel
        </Button>
      </div>
    </form>
  );
}

const pendingEmailKey = ({ _id }: User) => ['mine', _id, 'pending-email'];

/** Shows a new e-mail that has not been confirmed yet. */
function PendingEmail({ user, onSuccess }: { user: User; onSuccess(message: string): void }) {
  const queries = useQueryClient();
  const pending = useQuery({
    queryKey: pendingEmailKey(user),
    queryFn: async () => (await call('GET /auth/pendingemail')).data,
    // The link may be opened in another tab or on another device.
    staleTime: 0,
  });
  const change = useMutation({
    mutationFn: async (action: 'resend' | 'cancel') => {
      if (action === 'resend') return (await call('POST /auth/pendingemail')).data;
      await call('DELETE /auth/pendingemail');
      return null;
    },
    onSuccess: (left, action) => {
      queries.setQueryData(pendingEmailKey(user), left);
      onSuccess(action === 'resend' ? 'The link is on its way again' : 'Your email stays as it is');
    },
    // The change may have been confirmed or cancelled elsewhere.
    onError: () => void pending.refetch(),
  });
  const isRunning = (action: 'resend' | 'cancel') => change.isPending && change.variables === action;

  if (!pending.data || pending.data.email === user.email) return null;
  return (
    <div className="grid gap-3 rounded-md bg-info-soft px-4 py-3 text-info">
      <p className="flex items-start gap-3">
        <Info aria-hidden className="mt-0.5 size-5 shrink-0" />
        <span className="wrap-anywhere">
          We have mailed a link to <strong>{pending.data.email}</strong>. Until it is opened, {user.email} stays your
          address. Only the newest link works, and we send at most three an hour.
        </span>
      </p>
      {change.isError && <FormProblem>{messageOf(change.error, 'Update failed')}</FormProblem>}
      <div className="flex flex-wrap gap-3">
        <Button
          size="sm"
          variant="secondary"
          loading={isRunning('resend')}
          disabled={isRunning('cancel')}
          onClick={() => change.mutate('resend')}>
          Send the link again
        </Button>
        <Button
          size="sm"
          variant="secondary"
          loading={isRunning('cancel')}
          disabled={isRunning('resend')}
          onClick={() => change.mutate('cancel')}>
          Cancel the change
        </Button>
      </div>
    </div>
  );
}
