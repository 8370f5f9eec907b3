import { useEffect, useState } from 'react';

const FEEDBACK_MS = 2000;

/** Copies text; `copied` is true for two seconds afterwards. A browser that refuses says nothing. */
export function useCopy() {
  const [copies, setCopies] = useState(0);
  const [copied, setCopied] = useState(false);

  useEffect(() => {
    if (copies === 0) return;
    setCopied(true);
    const timer = setTimeout(() => setCopied(false), FEEDBACK_MS);
    return () => clearTimeout(timer);
  }, [copies]);

  async function copy(text: string) {
    try {
      await navigator.clipboard.writeText(text);
      setCopies((count) => count + 1);
    } catch {
      setCopied(false);
    }
  }
  return { copied, copy };
}
