import * as z from 'zod/mini';
import { line, requiredLine } from './text.ts';

export const MAX_BUYER_FIELDS = 5;

/** A field that the checkout asks the buyer of a product to fill in, e.g. a player's id or a server. */
export const buyerField = z
  .object({
    label: requiredLine(60),
    /** `choice`: one of `choices`; `text`: one line. */
    kind: z.enum(['text', 'choice']),
    required: z.boolean(),
    choices: z.array(requiredLine(60)).check(z.maxLength(30)),
  })
  .check(
    z.refine(({ kind, choices }) => kind === 'text' || choices.length > 1, { error: 'needs two choices or more' }),
  );
export type BuyerField = z.infer<typeof buyerField>;

export const buyerFields = z.array(buyerField).check(
  z.maxLength(MAX_BUYER_FIELDS, `A product asks for up to ${MAX_BUYER_FIELDS} fields`),
  z.refine(
    (fields) => new Set(fields.map(({ label }) => label)).size === fields.length,
    'Two fields have the same label',
  ),
);

export const MAX_ANSWER_LENGTH = 200;

const buyerAnswer = z.object({ label: line(60), value: line(MAX_ANSWER_LENGTH) });
export type BuyerAnswer = z.infer<typeof buyerAnswer>;

export const buyerAnswers = z.array(buyerAnswer).check(z.maxLength(MAX_BUYER_FIELDS));
