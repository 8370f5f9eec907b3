import { ChevronLeft } from 'lucide-react';
import type { MouseEvent } from 'react';
import { Link, useNavigate } from 'react-router';
import { useListPlace } from './list-place.ts';

const isPlain = ({ button, metaKey, ctrlKey, shiftKey, altKey }: MouseEvent) =>
  button === 0 && !metaKey && !ctrlKey && !shiftKey && !altKey;

/** Back to the list as it was left: what was filtered, and how far it was scrolled, which only history remembers. */
export function BackToList() {
  const place = useListPlace();
  const navigate = useNavigate();

  function goBack(press: MouseEvent) {
    if (place === undefined || !isPlain(press)) return;
    press.preventDefault();
    void navigate(-place.steps);
  }

  return (
    <Link
      to={place?.list ?? '/'}
      onClick={goBack}
      className="inline-flex min-h-11 items-center gap-1 text-sm font-semibold text-muted hover:text-accent-ink"
    >
      <ChevronLeft aria-hidden className="size-4" />
      All products
    </Link>
  );
}
