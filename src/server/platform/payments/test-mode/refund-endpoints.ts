import { changeIntent } from './change-intent.ts';
import {
  integerField,
  metadataOf,
  optionalField,
  pageOf,
  refuseUnknownFields,
  requiredField,
} from './form.ts';
import { refundIntent } from './intent-transitions.ts';
import { answerWith, type Endpoint } from './provider-call.ts';
import { noSuchObject } from './provider-problem.ts';
import { findRefund, listRefunds } from './refunds.queries.ts';
import { listObject, refundObject } from './stripe-objects.ts';

const LARGEST_AMOUNT_CENTS = 99_999_999;

export const createRefundEndpoint: Endpoint = async (provider, call) => {
  const { form } = call;
  refuseUnknownFields(form, ['payment_intent', 'amount', 'reason', 'metadata[]']);
  const amountCents = form.has('amount')
    ? integerField(form, 'amount', { min: 1, max: LARGEST_AMOUNT_CENTS })
    : undefined;
  const reason = optionalField(form, 'reason') ?? null;
  return changeIntent(provider, call, {
    intentId: requiredField(form, 'payment_intent'),
    decide: (intent, now) => refundIntent(intent, { amountCents, reason, metadata: metadataOf(form) }, now),
    present: ({ next, refund }) => {
      if (!refund) throw new Error('A refund without its record');
      return refundObject(refund, next);
    },
  });
};

export const retrieveRefundEndpoint: Endpoint = async (provider, call) => {
  const refund = await findRefund(provider.db, { id: call.id });
  if (!refund) throw noSuchObject('refund', call.id);
  return answerWith(refundObject(refund, refund));
};

export const listRefundsEndpoint: Endpoint = async (provider, call) => {
  refuseUnknownFields(call.form, ['payment_intent', 'created[gte]', 'limit', 'starting_after']);
  const page = pageOf(call.form);
  const rows = await listRefunds(provider.db, {
    ...page,
    intentId: optionalField(call.form, 'payment_intent'),
    limit: page.limit + 1,
  });
  const refunds = rows.slice(0, page.limit).map((refund) => refundObject(refund, refund));
  return answerWith(listObject('/v1/refunds', refunds, rows.length > page.limit));
};
