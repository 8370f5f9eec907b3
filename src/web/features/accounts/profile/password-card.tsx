import { useQueryClient } from '@tanstack/react-query';
import { KeyRound } from 'lucide-react';
import { useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import type { User } from '../../../../shared/accounts.ts';
import { Button } from '../../../ui/button.tsx';
import { ChangePasswordForm } from './change-password-form.tsx';
import { ProfileCard } from './profile-card.tsx';
import { SuccessMessage, useSuccess } from './success-message.tsx';

const tips = [
  'Use a password that you use nowhere else.',
  'A few words in a row are easier to remember than symbols, and harder to guess.',
  'We never ask for your password by mail or chat.',
];

export function PasswordCard({ user }: { user: User }) {
  const [isOpen, setIsOpen] = useState(false);
  const { success, say } = useSuccess();
  const toggle = useRef<HTMLButtonElement>(null);
  const queries = useQueryClient();

  function changed() {
    say('Password updated. Your other devices are signed out.');
    flushSync(() => setIsOpen(false));
    toggle.current?.focus();
    void queries.invalidateQueries({ queryKey: ['mine', user._id, 'sessions'] });
  }

  return (
    <ProfileCard
      title="Password & Security"
      aside={
        <Button
          ref={toggle}
          variant="secondary"
          aria-expanded={isOpen}
          onClick={() => setIsOpen((before) => !before)}
        >
          <KeyRound aria-hidden className="size-5" />
          Change Password
        </Button>
      }
    >
      {isOpen && <ChangePasswordForm user={user} onChanged={changed} />}
      <SuccessMessage>{success}</SuccessMessage>
      <ul className="grid list-disc gap-1.5 pl-5 text-muted">
        {tips.map((tip) => (
          <li key={tip}>{tip}</li>
        ))}
      </ul>
    </ProfileCard>
  );
}
