import { BadgeCheck, FileDown, Globe, MailCheck, MonitorSmartphone, Truck, UserRound, Zap } from 'lucide-react';
import type { DigitalProduct, Product } from '../../../shared/catalog.ts';
import { fileTypeOf, formatBytes } from '../../../shared/file-words.ts';
import { plural } from '../../../shared/format.ts';

/** Describes the delivery; for a digital product also platform, region, use and warranty. */
export function DeliveryNotes({ product }: { product: Product }) {
  const notes = product.kind === 'digital' ? digitalNotes(product) : physicalNotes;
  return (
    <dl className="grid gap-5 border-t border-line pt-5 text-sm">
      {notes.map(
        ({ icon: Icon, title, text }) =>
          text && (
            <div key={title} className="grid grid-cols-[auto_1fr] gap-x-3 gap-y-0.5">
              <Icon aria-hidden className="row-span-2 mt-0.5 size-5 text-accent" />
              <dt className="font-semibold">{title}</dt>
              <dd className="max-w-reading whitespace-pre-line wrap-anywhere text-muted">{text}</dd>
            </div>
          ),
      )}
    </dl>
  );
}

const physicalNotes = [
  {
    icon: Truck,
    title: 'Delivery',
    text: 'Sent to your address. You get an email as soon as the parcel is on its way.',
  },
];

const deliveryTexts: Record<DigitalProduct['delivery'], string> = {
  unique: 'At once: it is on your order’s page as soon as the payment is through.',
  shared: 'At once: it is on your order’s page as soon as the payment is through.',
  file: 'At once: you download it from your order’s page as soon as the payment is through.',
  manual: 'By a person, after the payment. We write to you when it is on your order’s page.',
};

function digitalNotes({ delivery, platform, region, deliveryInstructions, warranty, download }: DigitalProduct) {
  const days = `${warranty} ${plural(warranty, 'day')}`;
  return [
    { icon: delivery === 'manual' ? UserRound : Zap, title: 'Delivery', text: deliveryTexts[delivery] },
    { icon: FileDown, title: 'File', text: download?.file && describeDownload(download.file, download) },
    { icon: MonitorSmartphone, title: 'Platform', text: platform },
    { icon: Globe, title: 'Region of activation', text: region },
    { icon: MailCheck, title: 'How to use it', text: deliveryInstructions },
    {
      icon: BadgeCheck,
      title: 'Warranty',
      text: warranty > 0 && `${days} from delivery. If it does not work, we replace it.`,
    },
  ];
}

/** Describes a download, e.g. `100 MB, PDF. 3 downloads, within 30 days.` */
function describeDownload(
  { name, bytes }: { name: string; bytes: number },
  { limit, days }: { limit: number | null; days: number | null },
): string {
  const what = [formatBytes(bytes), fileTypeOf(name)].filter(Boolean).join(', ');
  const often = limit !== null && `${limit} ${plural(limit, 'download')}`;
  const long = days !== null && `${often ? 'within' : 'To download within'} ${days} ${plural(days, 'day')}`;
  const limits = [often, long].filter(Boolean).join(', ');
  return limits === '' ? what : `${what}. ${limits}.`;
}
