import * as z from 'zod/mini';

// Only what is not secret survives a reload; of another person's typing on the same screen nothing is shown.
const draft = z.object({ owner: z.string(), name: z.string(), email: z.string(), phone: z.string() });
type ContactDraft = z.infer<typeof draft>;

const KEY = 'checkoutContact';

/** What `owner` (a user's id, or `guest`) had typed before a reload; undefined when nothing, or storage is refused. */
export function readContactDraft(owner: string): ContactDraft | undefined {
  try {
    const saved = draft.safeParse(JSON.parse(sessionStorage.getItem(KEY) ?? 'null'));
    return saved.success && saved.data.owner === owner ? saved.data : undefined;
  } catch {
    return undefined;
  }
}

export function writeContactDraft({ owner, name, email, phone }: ContactDraft): boolean {
  try {
    sessionStorage.setItem(KEY, JSON.stringify({ owner, name, email, phone }));
    return true;
  } catch {
    return false;
  }
}

export function clearContactDraft(): boolean {
  try {
    sessionStorage.removeItem(KEY);
    return true;
  } catch {
    return false;
  }
}
