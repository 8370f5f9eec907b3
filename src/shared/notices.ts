import * as z from 'zod/mini';
import { alertKind, alertTitles } from './admin.ts';
import { productKind } from './catalog.ts';
import { formatDollars } from './currency.ts';
import { dataResponse, type Endpoints, forAdmins, okResponse } from './endpoint.ts';
import { isolated, orderNumber } from './format.ts';
import { page, pageQuery } from './paging.ts';
import { dollars, id, idParams, timestamp } from './text.ts';

/** `dashboard`: no mail. `digest`: in one mail a day. `each`: a mail for each notice. */
const delivery = z.enum(['off', 'dashboard', 'digest', 'each']);
export type NoticeDelivery = z.infer<typeof delivery>;

export const noticeDeliveryNames: Record<NoticeDelivery, string> = {
  off: 'Off',
  dashboard: 'Dashboard only',
  digest: 'Daily mail',
  each: 'Mail at once',
};

/** Hour of the daily digest in the shop's time zone. */
export const DIGEST_HOUR = 8;

export const noticeKindNames = {
  'new-order': 'New orders',
  'low-stock': 'Low stock',
  'sold-out': 'Sold out',
  'problem-report': 'Problem reports',
  'cancel-request': 'Requests to cancel',
  'refund-failed': 'Failed refunds',
  dispute: 'Disputes',
  'mail-failed': 'Mails that cannot be delivered',
  alert: 'Other alerts',
} as const;
export type NoticeKind = keyof typeof noticeKindNames;
export const noticeKinds = Object.keys(noticeKindNames) as NoticeKind[];
const noticeKind = z.enum(noticeKinds);
const deliveries = z.object(
  Object.fromEntries(noticeKinds.map((kind) => [kind, delivery])) as Record<NoticeKind, typeof delivery>,
);

const notice = z.object({
  _id: id,
  kind: noticeKind,
  createdAt: timestamp,
  isRead: z.boolean(),
  /** The subject of the notice. A field is null if the notice is not about such a thing, or if it was removed since. */
  order: z.nullable(z.object({ _id: id, total: dollars })),
  product: z.nullable(z.object({ _id: id, kind: productKind, name: z.string() })),
  report: z.nullable(id),
  alert: z.nullable(alertKind),
  /** Units of the product that were left when the notice was written. */
  units: z.nullable(z.int()),
});
export type OwnerNotice = z.infer<typeof notice>;

/** Returns the notice in one line, for the dashboard and mails, without personal data of a buyer. */
export function noticeTitle({ kind, order, product, alert, units }: OwnerNotice): string {
  const name = isolated(product?.name ?? 'a product');
  const ofOrder = order ? ` (order #${orderNumber(order._id)})` : '';
  switch (kind) {
    case 'new-order':
      return order ? `New order #${orderNumber(order._id)}: ${formatDollars(order.total)}` : 'New order';
    case 'low-stock':
      return `Low stock, ${units} left: ${name}`;
    case 'sold-out':
      return `Sold out: ${name}`;
    case 'problem-report':
      return `A buyer reports a problem${ofOrder}`;
    case 'cancel-request':
      return `A buyer asks to cancel${ofOrder}`;
    case 'mail-failed':
      return `A mail cannot be delivered${ofOrder}`;
    default:
      return `${alert ? alertTitles[alert] : noticeKindNames[kind]}${ofOrder}`;
  }
}

const settings = z.object({
  /** Rises by each save. */
  version: z.int(),
  deliveries,
  /** All administrators who can sign in. */
  recipients: z.array(z.object({ _id: id, name: z.string(), email: z.string(), isMailed: z.boolean() })),
});
export type NoticeSettings = z.infer<typeof settings>;

export const noticeEndpoints = {
  'GET /admin/notices': forAdmins('The owner’s notices, newest first', {
    query: z.object({
      /** `q`: a part of the product's name or of the order's number. */
      ...pageQuery,
      /** If left out, read notices are included. */
      unread: z.optional(z.enum(['true'])),
    }),
    output: page(notice),
  }),
  'POST /admin/notices/:id/read': forAdmins('Mark a notice as read, and with `older` all before it', {
    params: idParams,
    body: z.object({ older: z.boolean() }),
    errors: ['NOT_FOUND'],
    output: okResponse,
  }),
  'GET /admin/notice-settings': forAdmins('How each kind of notice is delivered, and to whom', {
    output: dataResponse(settings),
  }),
  'PUT /admin/notice-settings': forAdmins('Choose how each kind of notice is delivered, and who gets the mails', {
    body: z.object({
      /** The version that the form showed; the call is rejected (409 EDIT_CONFLICT) if other settings are stored since. */
      version: z.optional(z.int()),
      deliveries,
      /** The recipients that the form showed. Other recipients stay unchanged. */
      recipients: z.array(z.object({ _id: id, isMailed: z.boolean() })).check(z.maxLength(1_000)),
    }),
    errors: ['EDIT_CONFLICT'],
    output: dataResponse(settings),
  }),
} as const satisfies Endpoints;
