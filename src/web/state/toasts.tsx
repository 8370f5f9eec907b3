import { createContext, type ReactNode, useCallback, useContext, useMemo, useState } from 'react';

const DEFAULT_DURATION_MS = 3000;

export interface ToastMessage {
  message: string;
  type: 'success' | 'error' | 'warning' | 'info';
  /** Milliseconds until it closes by itself, 3000 by default; 0 stays until closed. */
  duration?: number;
  product?: { name: string; image: string; category: string };
  action?: { label: string; onPress(): void };
}

export interface ShownToast extends ToastMessage {
  id: string;
  duration: number;
}

interface Toasts {
  toasts: ShownToast[];
  show(toast: ToastMessage): void;
  close(id: string): void;
}

let shownSoFar = 0;

const isSameToast = (one: ShownToast, other: ShownToast) =>
  one.message === other.message && one.type === other.type && one.product?.name === other.product?.name;

const ToastsContext = createContext<Toasts | null>(null);

export function ToastProvider({ children }: { children: ReactNode }) {
  const [toasts, setToasts] = useState<ShownToast[]>([]);
  const show = useCallback((message: ToastMessage) => {
    const toast = { duration: DEFAULT_DURATION_MS, ...message, id: String(++shownSoFar) };
    // A repeated message replaces the earlier one.
    setToasts((shown) => [...shown.filter((other) => !isSameToast(other, toast)), toast]);
  }, []);
  const close = useCallback((id: string) => setToasts((shown) => shown.filter((toast) => toast.id !== id)), []);
  const value = useMemo(() => ({ toasts, show, close }), [toasts, show, close]);
  return <ToastsContext value={value}>{children}</ToastsContext>;
}

/** `show` adds a message; the shell's toast region displays, announces and closes it. */
export function useToasts(): Toasts {
  const toasts = useContext(ToastsContext);
  if (toasts === null) throw new Error('useToasts needs a ToastProvider above it');
  return toasts;
}
