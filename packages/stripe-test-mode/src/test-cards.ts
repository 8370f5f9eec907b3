import { type Form, requiredField } from './call.ts';
import type { CardError } from './store.ts';
import { RequestRefused } from './stripe-objects.ts';

/** The facts that the provider keeps of a card. The number and the security code go no further than this file. */
export interface TestCard {
  brand: 'visa';
  last4: string;
  verdict: 'authorised' | 'challenge' | CardError;
}

const declined = (declineCode: string, message: string): CardError => ({
  type: 'card_error',
  code: 'card_declined',
  decline_code: declineCode,
  message,
});
const refused = (code: string, message: string): CardError => ({ type: 'card_error', code, message });

// The numbers, codes and sentences are facts of Stripe's interface (docs.stripe.com/testing).
const verdicts: ReadonlyMap<string, TestCard['verdict']> = new Map<string, TestCard['verdict']>([
  ['4242424242424242', 'authorised'],
  ['4000000000000259', 'authorised'],
  ['4000000000001976', 'authorised'],
  ['4000000000005423', 'authorised'],
  ['4000000000007726', 'authorised'],
  ['4000002500003155', 'challenge'],
  ['4000002760003184', 'challenge'],
  ['4000000000000002', declined('generic_decline', 'Your card was declined.')],
  ['4000000000009995', declined('insufficient_funds', 'Your card has insufficient funds.')],
  ['4000000000000127', refused('incorrect_cvc', "Your card's security code is incorrect.")],
  ['4000000000000069', refused('expired_card', 'Your card has expired.')],
]);

const claims: ReadonlyMap<string, 'dispute' | 'inquiry' | 'warning'> = new Map([
  ['0259', 'dispute'],
  ['1976', 'inquiry'],
  ['5423', 'warning'],
] as const);

/** Returns the bank's claim after the capture, by the last four digits of the card; undefined without one. */
export const claimOfCard = (last4: string | null) => claims.get(last4 ?? '');

/** Tells by the last four digits of a card whether its refunds are pending at first. */
export const isRefundedLater = (last4: string | null): boolean => last4 === '7726';

/** Stripe's test payment methods, by which a server confirms without a card form. */
const testMethods: ReadonlyMap<string, string> = new Map([
  ['pm_card_visa', '4242424242424242'],
  ['pm_card_createDispute', '4000000000000259'],
  ['pm_card_createDisputeInquiry', '4000000000001976'],
  ['pm_card_createIssuerFraudRecord', '4000000000005423'],
  ['pm_card_pendingRefund', '4000000000007726'],
  ['pm_card_authenticationRequired', '4000002760003184'],
  ['pm_card_visa_chargeDeclined', '4000000000000002'],
]);

/** Returns the card of a test payment method; undefined for another id. */
export function findTestMethod(id: string): TestCard | undefined {
  const number = testMethods.get(id) ?? '';
  const verdict = verdicts.get(number);
  return verdict && { brand: 'visa', last4: number.slice(-4), verdict };
}

const LONGEST_VALIDITY_YEARS = 50;

const entry = (name: string) => `payment_method_data[card][${name}]`;

const wrongEntry = (code: string, param: string, message: string) =>
  new RequestRefused(402, { type: 'card_error', code, param, message });

/** Reads `payment_method_data[card]`; throws Stripe's card error that names the wrong entry. */
export function readCard(form: Form, now: Date): TestCard {
  const number = requiredField(form, entry('number')).replace(/[\s-]/g, '');
  checkNumber(number);
  checkExpiry(requiredField(form, entry('exp_month')), requiredField(form, entry('exp_year')), now);
  if (!/^\d{3,4}$/.test(requiredField(form, entry('cvc')).trim())) {
    throw wrongEntry('invalid_cvc', 'cvc', "Your card's security code is invalid.");
  }
  const verdict = verdicts.get(number);
  if (verdict === undefined) {
    throw new RequestRefused(402, {
      ...declined('test_mode_live_card', 'Your card was declined: in test mode, use a test card.'),
      param: 'number',
    });
  }
  return { brand: 'visa', last4: number.slice(-4), verdict };
}

function checkNumber(number: string): void {
  if (!/^\d{12,19}$/.test(number)) {
    throw wrongEntry('invalid_number', 'number', 'The card number is not a valid credit card number.');
  }
  if (!passesLuhn(number)) throw wrongEntry('incorrect_number', 'number', 'Your card number is incorrect.');
}

function passesLuhn(digits: string): boolean {
  const sum = [...digits].reverse().reduce((total, digit, index) => {
    const value = index % 2 === 0 ? Number(digit) : Number(digit) * 2;
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return sum % 10 === 0;
}

function checkExpiry(monthText: string, yearText: string, now: Date): void {
  const month = /^\d{1,2}$/.test(monthText.trim()) ? Number(monthText) : Number.NaN;
  const year = /^(\d{2}|\d{4})$/.test(yearText.trim()) ? Number(yearText) : Number.NaN;
  const fullYear = year < 100 ? 2000 + year : year;
  const thisYear = now.getUTCFullYear();
  if (!(month >= 1 && month <= 12)) {
    throw wrongEntry('invalid_expiry_month', 'exp_month', "Your card's expiration month is invalid.");
  }
  if (!(fullYear >= thisYear && fullYear <= thisYear + LONGEST_VALIDITY_YEARS)) {
    throw wrongEntry('invalid_expiry_year', 'exp_year', "Your card's expiration year is invalid.");
  }
  if (fullYear === thisYear && month < now.getUTCMonth() + 1) {
    throw wrongEntry('invalid_expiry_month', 'exp_month', "Your card's expiration month is invalid.");
  }
}
