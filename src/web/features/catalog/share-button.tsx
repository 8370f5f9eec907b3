import { Check, Share2 } from 'lucide-react';
import { useCopy } from '../../lib/use-copy.ts';
import { Button } from '../../ui/button.tsx';

/** Opens the system's own way to share where there is one, else copies the address. */
export function ShareButton({ name }: { name: string }) {
  const { copied, copy } = useCopy();
  const Icon = copied ? Check : Share2;

  async function share() {
    const url = window.location.origin + window.location.pathname;
    if (!('share' in navigator)) return copy(url);
    try {
      await navigator.share({ title: name, url });
    } catch (failure) {
      // Closing the system's dialog is an answer; anything else and the address still gets out.
      if (!(failure instanceof DOMException && failure.name === 'AbortError')) await copy(url);
    }
  }

  return (
    <Button variant="quiet" size="sm" onClick={() => void share()} className="min-h-11 text-muted">
      <Icon aria-hidden className="size-4.5" />
      <span aria-live="polite">{copied ? 'Link copied' : 'Share'}</span>
    </Button>
  );
}
