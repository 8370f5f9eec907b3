import { standardSchemaResolver } from '@hookform/resolvers/standard-schema';
import { useMemo } from 'react';
import { useForm } from 'react-hook-form';
import type { User } from '../../../shared/accounts.ts';
import { readContactDraft, writeContactDraft } from './contact-draft.ts';
import { type Contact, customerContact, guestContact } from './contact-schema.ts';

/** The contact form of a guest, or of the signed-in `user`, whose own details it starts with. */
export function useContactForm(user: User | null) {
  const owner = user?._id ?? 'guest';
  const { name = '', email = '', phone = '' } = user ?? {};
  const values = useMemo<Contact>(() => {
    const draft = readContactDraft(owner) ?? { name, email, phone };
    return { name: draft.name, email: draft.email, phone: draft.phone, password: '', confirmPassword: '' };
  }, [owner, name, email, phone]);

  const form = useForm<Contact>({
    resolver: standardSchemaResolver(user ? customerContact : guestContact),
    mode: 'onTouched',
    values,
    resetOptions: { keepDirtyValues: true },
  });

  const saveDraft = () => writeContactDraft(owner, form.getValues());
  return { form, saveDraft };
}
