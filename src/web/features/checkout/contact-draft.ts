import { tryParseJson } from '../../../shared/try-parse-json.ts';
import { CONTACT_DRAFT, isRecord, stored } from '../../lib/stored-value.ts';

interface Contact {
  name: string;
  email: string;
  phone: string;
  address: Record<(typeof addressFields)[number], string>;
  answers: TypedAnswers;
}

/** Typed values by product id and label of the field. */
export type TypedAnswers = Record<string, Record<string, string>>;

const addressFields = ['street', 'city', 'state', 'zipCode', 'country'] as const;

interface Draft extends Contact {
  /** A user's id, or GUEST. */
  owner: string;
  /** In milliseconds since 1970. */
  typedAt: number;
}

export const GUEST = 'guest';

// Keeps the typed values after a reload. Passwords and card data are never stored.
const draft = stored<Draft | null>(CONTACT_DRAFT, parseDraft, (value) => value && JSON.stringify(value));
const MAX_AGE_MS = 30 * 60 * 1_000;

function parseDraft(text: string | null): Draft | null {
  const saved = tryParseJson(text);
  if (!isRecord(saved) || !hasTexts(saved, ['owner', 'name', 'email', 'phone'])) return null;
  const { address, answers } = saved;
  const isAddress = isRecord(address) && hasTexts(address, addressFields);
  const areAnswers = isRecord(answers) && Object.values(answers).every(isRecordOfTexts);
  return isAddress && areAnswers ? (saved as unknown as Draft) : null;
}

const isRecordOfTexts = (value: unknown) => isRecord(value) && hasTexts(value, Object.keys(value));

const hasTexts = (record: Record<string, unknown>, names: readonly string[]) =>
  names.every((name) => typeof record[name] === 'string');

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
