import { useQuery } from '@tanstack/react-query';
import { CreditCard } from 'lucide-react';
import type { ComponentType, Ref } from 'react';
import type { Shop } from '../../../../shared/content.ts';
import { useShop } from '../../../state/shop.ts';
import { Skeleton } from '../../../ui/display.tsx';
import { NotLoaded } from '../checkout-notices.tsx';
import type { CardEntry, CardEntryProps } from './card-entry.ts';

type Provider = Shop['payments']['provider'];

// Each form is a chunk of its own, loaded when the checkout shows it.
const forms: Record<Provider, () => Promise<ComponentType<CardEntryProps>>> = {
  'test-mode': async () => (await import('./test-mode-card.tsx')).TestModeCard,
  stripe: async () => (await import('./stripe-card.tsx')).StripeCard,
};

// As high as the form, to avoid a layout shift when it has loaded.
const heights: Record<Provider, string> = { 'test-mode': 'h-[13.65rem]', stripe: 'h-[4.425rem]' };

interface CardSectionProps {
  ref: Ref<CardEntry>;
  readOnly: boolean;
}

export function CardSection(props: CardSectionProps) {
  const shop = useShop();
  return (
    <fieldset className="grid gap-4">
      <legend className="mb-4 text-lg font-semibold">Payment Method</legend>
      <label className="flex min-h-11 items-center gap-3 rounded-md border border-accent bg-accent-soft px-4 font-semibold text-accent-ink">
        <input type="radio" name="paymentMethod" value="card" defaultChecked className="size-4 accent-accent" />
        <CreditCard aria-hidden className="size-5" />
        Credit or debit card
      </label>
      {shop ? <CardForm {...props} {...shop.payments} /> : <Skeleton className="h-44" />}
    </fieldset>
  );
}

function CardForm({ provider, ...props }: CardSectionProps & { provider: Provider; publishableKey: string }) {
  const { data, isError } = useQuery({
    queryKey: ['card-form', provider],
    queryFn: async () => ({ Form: await forms[provider]() }),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
    structuralSharing: false,
  });
  if (data) return <data.Form {...props} />;
  // After a failed import, Chromium returns the cached failure until a reload, which keeps the contact.
  return isError ? <NotLoaded onRetry={() => window.location.reload()} /> : <Skeleton className={heights[provider]} />;
}
