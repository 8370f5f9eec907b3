import * as z from 'zod/mini';
import { tryParseJson } from '../../../shared/try-parse-json.ts';
import { CONTACT_DRAFT, stored } from '../../lib/stored-value.ts';

/** Typed values by product id and label of the field. */
const typedAnswers = z.record(z.string(), z.record(z.string(), z.string()));
export type TypedAnswers = z.infer<typeof typedAnswers>;

const text = z.string();
const contactDraft = z.object({
  /** A user's id, or GUEST. */
  owner: text,
  name: text,
  email: text,
  phone: text,
  address: z.object({ street: text, city: text, state: text, zipCode: text, country: text }),
  answers: typedAnswers,
  /** In milliseconds since 1970. */
  typedAt: z.number(),
});
type Draft = z.infer<typeof contactDraft>;
type Contact = Omit<Draft, 'owner' | 'typedAt'>;

export const GUEST = 'guest';

// Keeps the typed values after a reload. Passwords and card data are never stored.
const draft = stored<Draft | null>(
  CONTACT_DRAFT,
  (saved) => contactDraft.safeParse(tryParseJson(saved)).data ?? null,
  (value) => value && JSON.stringify(value),
);
const MAX_AGE_MS = 30 * 60 * 1_000;

let expiry: ReturnType<typeof setTimeout> | undefined;

function expireIn(ms: number): void {
  clearTimeout(expiry);
  expiry = setTimeout(clearContactDraft, ms);
}

/**
 * Returns what `owner` typed in this tab within the last 30 minutes. Deletes a draft that is older or of another owner, but not
 * that of a user whose session has ended and who may sign in again.
 */
export function readContactDraft(owner: string): Contact | undefined {
  const saved = draft.read();
  if (saved === null) return undefined;
  const leftMs = saved.typedAt + MAX_AGE_MS - Date.now();
  const isOfOther = saved.owner !== owner && owner !== GUEST;
  if (isOfOther || !(leftMs > 0 && leftMs <= MAX_AGE_MS)) {
    clearContactDraft();
    return undefined;
  }
  expireIn(leftMs);
  return saved.owner === owner ? saved : undefined;
}

export function writeContactDraft(owner: string, { name, email, phone, address, answers }: Contact): void {
  draft.write({ owner, name, email, phone, address, answers, typedAt: Date.now() });
  expireIn(MAX_AGE_MS);
}

export function clearContactDraft(): void {
  clearTimeout(expiry);
  draft.clear();
}
