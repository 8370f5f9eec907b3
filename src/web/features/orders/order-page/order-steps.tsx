import { formatMoment } from '../../../../shared/format.ts';
import type { OrderPage } from '../../../../shared/order-page.ts';
import { Section } from '../../../ui/card.tsx';
import { Timeline } from '../../../ui/timeline.tsx';

export const OrderSteps = ({ order }: { order: OrderPage }) => (
  <Section title="Timeline">
    <Timeline steps={order.timeline} moment={(at) => <time dateTime={at}>{formatMoment(at)}</time>} />
  </Section>
);
