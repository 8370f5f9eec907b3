import { useQueryClient } from '@tanstack/react-query';
import { Pencil } from 'lucide-react';
import { type ReactNode, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import type { User } from '../../../../shared/accounts.ts';
import { Button } from '../../../ui/button.tsx';
import { DetailsForm } from './details-form.tsx';
import { PendingEmail, pendingEmailKey } from './pending-email.tsx';
import { ProfileCard } from './profile-card.tsx';
import { SuccessMessage, useSuccess } from './success-message.tsx';

export function DetailsCard({ user }: { user: User }) {
  const [isEditing, setIsEditing] = useState(false);
  const queries = useQueryClient();
  const { success, say } = useSuccess();
  const edit = useRef<HTMLButtonElement>(null);

  function view() {
    flushSync(() => setIsEditing(false));
    edit.current?.focus();
  }

  function saved(newEmail: string | null) {
    if (newEmail !== null) void queries.invalidateQueries({ queryKey: pendingEmailKey(user) });
    say('Profile updated');
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
      }
    >
      {isEditing ? <DetailsForm user={user} onSaved={saved} onCancel={view} /> : <Details user={user} />}
      <PendingEmail user={user} onSaid={say} />
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
