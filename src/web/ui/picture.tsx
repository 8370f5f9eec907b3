import { ImageOff } from 'lucide-react';
import { useState } from 'react';
import { CategoryIcon } from './category-icon.tsx';
import { classNames } from './class-names.ts';

interface PictureProps {
  src: string;
  /** Empty where the words beside it already say what it shows. */
  alt: string;
  className?: string;
  /** Of the product it shows: its icon stands in when the picture is missing or does not load. */
  category?: string;
  /** Loads at once instead of when it comes near; for pictures in sight at the start. */
  eager?: boolean;
}

/** A picture that fills its frame; the frame's size and shape come from the class name, so nothing moves when it loads. */
export function Picture({ src, alt, className, category, eager = false }: PictureProps) {
  const [failedSrc, setFailedSrc] = useState<string>();
  const isMissing = src === '' || src === failedSrc;
  return (
    <div className={classNames('overflow-hidden bg-sunken', className)}>
      {isMissing ? (
        <div className="relative grid size-full place-items-center bg-accent-soft text-accent-ink">
          {category === undefined ? (
            <ImageOff aria-hidden className="size-1/3 max-w-8" strokeWidth={1.5} />
          ) : (
            <CategoryIcon category={category} className="size-2/5 max-w-20 opacity-60" />
          )}
          {alt !== '' && <span className="sr-only">{alt}</span>}
        </div>
      ) : (
        <img
          src={src}
          alt={alt}
          loading={eager ? 'eager' : 'lazy'}
          decoding="async"
          onError={() => setFailedSrc(src)}
          className="size-full object-cover"
        />
      )}
    </div>
  );
}
