import { BadgeCheck, type LucideIcon, MailCheck, Zap } from 'lucide-react';
import type { ReactNode } from 'react';
import type { DigitalProduct } from '../../../shared/catalog.ts';

const daysOf = (count: number) => `${count} ${count === 1 ? 'day' : 'days'}`;

/** How it arrives, how it is used, and what happens when it does not work. */
export function DeliveryNotes({ product: { deliveryInstructions, warranty } }: { product: DigitalProduct }) {
  return (
    <dl className="grid gap-5 border-t border-line pt-5 text-sm">
      <Note icon={Zap} title="Delivery">
        At once: it is on your order’s page as soon as the payment is through.
      </Note>
      {deliveryInstructions && (
        <Note icon={MailCheck} title="How to use it">
          {deliveryInstructions}
        </Note>
      )}
      {warranty > 0 && (
        <Note icon={BadgeCheck} title="Warranty">
          {daysOf(warranty)} from delivery. If it does not work, we replace it.
        </Note>
      )}
    </dl>
  );
}

function Note({ icon: Icon, title, children }: { icon: LucideIcon; title: string; children: ReactNode }) {
  return (
    <div className="grid grid-cols-[auto_1fr] gap-x-3 gap-y-0.5">
      <Icon aria-hidden className="row-span-2 mt-0.5 size-5 text-accent" />
      <dt className="font-semibold">{title}</dt>
      <dd className="max-w-reading whitespace-pre-line text-muted">{children}</dd>
    </div>
  );
}
