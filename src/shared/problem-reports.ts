import * as z from 'zod/mini';
import { delivery } from './catalog.ts';
import { dataResponse, type Endpoints, forAdmins, forCustomers } from './endpoint.ts';
import { itemState, uploadedItem } from './inventory.ts';
import { page, pageQuery } from './paging.ts';
import { id, idParams, requiredText, timestamp } from './text.ts';

export const problem = z.enum(['used', 'invalid', 'region', 'other-product', 'other']);
export type Problem = z.infer<typeof problem>;

export const problemNames: Record<Problem, string> = {
  used: 'It was used already',
  invalid: 'It is not accepted',
  region: 'It does not work in my region',
  'other-product': 'It is for something else',
  other: 'Something else',
};

const reportOutcome = z.enum(['message', 'replaced', 'refunded', 'withdrawn', 'disputed']);
export type ReportOutcome = z.infer<typeof reportOutcome>;

const reportMessage = z.object({
  _id: id,
  side: z.enum(['buyer', 'shop']),
  at: timestamp,
  /** Plain text; null if it cannot be decrypted. */
  message: z.nullable(z.string()),
  /** `removed`: a picture is deleted earlier than its message. */
  picture: z.enum(['none', 'kept', 'removed']),
});
export type ReportMessage = z.infer<typeof reportMessage>;

/** A report without its conversation. */
const reportHead = z.object({
  _id: id,
  order: id,
  item: z.object({
    _id: id,
    /** Number of the unit in its order line, from 1. */
    number: z.int(),
    line: id,
    productName: z.string(),
    image: z.string(),
    category: z.string(),
    warrantyUntil: timestamp,
  }),
  problem,
  /** `open`: the shop has to answer. `answered`: the shop has answered. */
  state: z.enum(['open', 'answered', 'closed']),
  outcome: z.nullable(reportOutcome),
  openedAt: timestamp,
  closedAt: z.nullable(timestamp),
  /** Deadline for the shop's answer; null unless the report is open. */
  answerBy: z.nullable(timestamp),
  isOverdue: z.boolean(),
});
export type ReportHead = z.infer<typeof reportHead>;

const problemReport = z.extend(reportHead, {
  /** Oldest first. */
  messages: z.array(reportMessage),
});
export type ProblemReport = z.infer<typeof problemReport>;

const reportsOfOrder = z.object({
  answerDays: z.int(),
  /** Oldest first. */
  reports: z.array(problemReport),
});
export type ReportsOfOrder = z.infer<typeof reportsOfOrder>;

const listedReport = z.extend(reportHead, { customer: z.string(), email: z.string() });
export type ListedReport = z.infer<typeof listedReport>;

const adminReport = z.extend(listedReport, {
  messages: z.array(z.extend(reportMessage, { actor: z.string() })),
  item: z.extend(reportHead.shape.item, { masked: z.string(), state: itemState }),
  delivery,
  /** Items of the product in stock that can replace the reported item; only for products with items from stock. */
  available: z.int(),
});
export type AdminReport = z.infer<typeof adminReport>;

export const MAX_REPORT_TEXT = 2_000;
const MAX_REPORT_PICTURE_BYTES = 5 * 1024 * 1024;
const BASE64_BYTES = Math.ceil(MAX_REPORT_PICTURE_BYTES / 3) * 4;
const bodyLimit = BASE64_BYTES + 64 * 1024;

const words = {
  text: requiredText(MAX_REPORT_TEXT),
  /** Id chosen once by the form: sending the form twice writes one message. */
  draft: id,
};
const withPicture = {
  ...words,
  /** A PNG, JPEG or WebP in base64. */
  picture: z.optional(z.string().check(z.maxLength(BASE64_BYTES, 'Please choose a picture of at most 5 MB'))),
};

/** `webp`: in base64. */
const readsPicture = { params: z.object({ id, messageId: id }), output: dataResponse(z.object({ webp: z.string() })) };

/** Newest message that the administrator has read; the call is rejected (409 EDIT_CONFLICT) if there is a newer one. */
const answerTo = { lastMessage: id };

const reportAnswer = { params: idParams, output: dataResponse(adminReport) };
/** A call by which a buyer writes a message, which may have a picture. */
const writesMessage = { bodyLimit, limit: 'upload', status: 201, output: dataResponse(reportsOfOrder) } as const;

export const problemReportEndpoints = {
  'GET /problem-reports': forCustomers('The problem reports of one of my orders', {
    query: z.object({ order: id }),
    errors: ['NOT_FOUND'],
    output: dataResponse(reportsOfOrder),
  }),
  'POST /problem-reports': forCustomers('Report that an item under warranty does not work', {
    ...writesMessage,
    body: z.object({ order: id, item: id, problem, ...withPicture }),
    errors: ['NOT_FOUND', 'REPORT_REFUSED', 'IMAGE_REFUSED', 'RATE_LIMITED'],
  }),
  'POST /problem-reports/:id/messages': forCustomers('Write to the shop about a report of mine', {
    ...writesMessage,
    params: idParams,
    body: z.object(withPicture),
    errors: ['REPORT_REFUSED', 'IMAGE_REFUSED', 'RATE_LIMITED'],
  }),
  'POST /problem-reports/:id/withdraw': forCustomers('Close a report of mine, e.g. because the item works after all', {
    params: idParams,
    errors: ['REPORT_REFUSED'],
    output: dataResponse(reportsOfOrder),
  }),
  'GET /problem-reports/:id/pictures/:messageId': forCustomers(
    'The picture of a message in a report of mine',
    readsPicture,
  ),
  'GET /admin/problem-reports': forAdmins('Problem reports: the open ones, oldest first, or the closed ones', {
    query: z.object({
      /** `q`: a part of the product's name, the order's number, or the buyer's name or e-mail. */
      ...pageQuery,
      /** If left out, reports that are not closed, unanswered ones first. */
      closed: z.optional(z.enum(['true'])),
      /** Lists all reports of this order instead. */
      order: z.optional(id),
    }),
    output: page(listedReport),
  }),
  'GET /admin/problem-reports/:id': forAdmins('One problem report with its conversation', reportAnswer),
  'GET /admin/problem-reports/:id/pictures/:messageId': forAdmins('The picture of a message', readsPicture),
  'POST /admin/problem-reports/:id/answer': forAdmins('Answer a problem report by a message, and perhaps close it', {
    ...reportAnswer,
    body: z.object({ ...words, ...answerTo, close: z.boolean() }),
    errors: ['REPORT_REFUSED', 'EDIT_CONFLICT'],
  }),
  'POST /admin/problem-reports/:id/replace': forAdmins('Answer a problem report by replacing its item', {
    ...reportAnswer,
    body: z.object({
      ...answerTo,
      /** The new item, for a product that a person delivers. */
      content: z.optional(uploadedItem),
    }),
    errors: ['REPORT_REFUSED', 'EDIT_CONFLICT', 'OUT_OF_STOCK', 'ITEM_FROZEN'],
  }),
  'POST /admin/problem-reports/:id/refund': forAdmins('Answer a problem report by refunding its item', {
    ...reportAnswer,
    body: z.object(answerTo),
    errors: ['REPORT_REFUSED', 'EDIT_CONFLICT', 'REFUND_REFUSED'],
  }),
} as const satisfies Endpoints;
