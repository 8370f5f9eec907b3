import { useEffect } from 'react';
import { useLocation } from 'react-router';
import { isRecord, parseJson } from '../../lib/stored-value.ts';

interface Contact {
  name: string;
  email: string;
  phone: string;
}

// In this tab's session storage, so that a reload keeps it. Passwords and card data are never stored.
const KEY = 'checkoutContact';
const MAX_AGE_MS = 30 * 60 * 1_000;

let expiry: ReturnType<typeof setTimeout> | undefined;

function expireIn(ms: number): void {
  clearTimeout(expiry);
  expiry = setTimeout(clearContactDraft, ms);
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/**
 * Contact details that `owner` (a user's id, or `guest`) typed in this tab within the last 30 minutes. An older draft, or
 * another owner's, is deleted.
 */
export function readContactDraft(owner: string): Contact | undefined {
  const saved = readSaved();
  if (!isRecord(saved)) return undefined;
  const leftMs = Number(saved['typedAt']) + MAX_AGE_MS - Date.now();
  if (saved['owner'] !== owner || !(leftMs > 0 && leftMs <= MAX_AGE_MS)) {
    clearContactDraft();
    return undefined;
  }
  expireIn(leftMs);
  return { name: textOf(saved['name']), email: textOf(saved['email']), phone: textOf(saved['phone']) };
}

function readSaved(): unknown {
  try {
    return parseJson(sessionStorage.getItem(KEY));
  } catch {
    return null;
  }
}

export function writeContactDraft(owner: string, { name, email, phone }: Contact): void {
  try {
    sessionStorage.setItem(KEY, JSON.stringify({ owner, name, email, phone, typedAt: Date.now() }));
    expireIn(MAX_AGE_MS);
  } catch {
    // Storage may be denied or full: a reload then finds an empty form.
  }
}

export function clearContactDraft(): void {
  clearTimeout(expiry);
  try {
    sessionStorage.removeItem(KEY);
  } catch {
    // Denied storage holds no draft.
  }
}

/** Deletes the draft once the shopper opens another screen than the checkout. */
export function useForgetContactDraft(): void {
  const { pathname } = useLocation();
  useEffect(() => {
    if (pathname !== '/checkout') clearContactDraft();
  }, [pathname]);
}
