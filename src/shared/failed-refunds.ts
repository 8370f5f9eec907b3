import * as z from 'zod/mini';
import { changesOrder } from './admin-orders.ts';
import { type Endpoints, forAdmins } from './endpoint.ts';
import { reason } from './inventory.ts';
import { id } from './text.ts';

/** `attempt` is the failed attempt that was shown; the call is rejected if another attempt has begun since. */
const failedRefund = z.object({ refund: id, attempt: z.int() });

export const failedRefundEndpoints = {
  'POST /admin/orders/:id/retry-refund': forAdmins('Retry a failed refund', {
    ...changesOrder,
    body: failedRefund,
    errors: ['REFUND_REFUSED'],
  }),
  'POST /admin/orders/:id/settle-refund': forAdmins('Note that a failed refund was given back in another way', {
    ...changesOrder,
    body: z.extend(failedRefund, { reason }),
    errors: ['REFUND_REFUSED'],
  }),
} as const satisfies Endpoints;
