import { useEffect } from 'react';
import { useLocation } from 'react-router';
import { isRecord, parseJson } from '../../lib/stored-value.ts';

interface Contact {
  name: string;
  email: string;
  phone: string;
}

// In this tab's session storage, so that a reload of the checkout finds it; passwords and cards are kept nowhere.
const KEY = 'checkoutContact';
const KEPT_MS = 30 * 60 * 1_000;

let expiry: ReturnType<typeof setTimeout> | undefined;

function expireIn(ms: number): void {
  clearTimeout(expiry);
  expiry = setTimeout(clearContactDraft, ms);
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/**
 * Contact details that `owner` (a user's id, or `guest`) typed in this tab within the last 30 minutes. A draft of somebody
 * else, or an older one, is deleted.
 */
export function readContactDraft(owner: string): Contact | undefined {
  const saved = readSaved();
  if (!isRecord(saved)) return undefined;
  const leftMs = Number(saved['typedAt']) + KEPT_MS - Date.now();
  if (saved['owner'] !== owner || !(leftMs > 0 && leftMs <= KEPT_MS)) {
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
    expireIn(KEPT_MS);
  } catch {
    // Storage may be refused or full: then a reload finds an empty form.
  }
}

export function clearContactDraft(): void {
  clearTimeout(expiry);
  try {
    sessionStorage.removeItem(KEY);
  } catch {
    // Storage that is refused holds no draft either.
  }
}

/** Deletes the draft on every screen but the checkout: a shopper who is there has left the checkout for good. */
export function useForgetContactDraft(): void {
  const { pathname } = useLocation();
  useEffect(() => {
    if (pathname !== '/checkout') clearContactDraft();
  }, [pathname]);
}
