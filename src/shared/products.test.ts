import { expect, test } from 'vitest';
import { createDigitalProductBody, createPhysicalProductBody } from './products.ts';

const digital = createDigitalProductBody.shape;
const physical = createPhysicalProductBody.shape;

// The forms of the dashboard show these messages.
test.each([
  ['a download limit', digital.downloadLimit, 0, 'must be at least 1'],
  ['a download limit', digital.downloadLimit, 101, 'must be at most 100'],
  ['a download limit', digital.downloadLimit, 1.5, 'must be a whole number'],
  ['days to download', digital.downloadDays, 3_651, 'must be at most 3650'],
  ['a limit of units', digital.stock, -1, 'must not be negative'],
  ['a limit of units', digital.stock, 1.5, 'must be a whole number'],
  ['a stock', physical.stock, -1, 'must not be negative'],
  ['a stock', physical.stock, 1_000_001, 'must be at most 1000000'],
  ['a weight', physical.weight, 0, 'must be at least 1'],
  [
    'a question with 31 choices',
    digital.buyerFields,
    [{ label: 'Server', kind: 'choice', required: true, choices: Array(31).fill('Asia') }],
    'must be at most 30 choices',
  ],
])('%s says what is wrong: %#', (_, field, wrong, message) => {
  expect(field.safeParse(wrong).error?.issues[0]?.message).toBe(message);
});
