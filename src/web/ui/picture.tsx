import { ImageOff } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { classNames } from './class-names.ts';

interface PictureProps {
  src: string;
  /** Empty where the words beside it already say what it shows. */
  alt: string;
  className?: string;
  /** Stands in when the picture is missing or does not load. */
  placeholder?: ReactNode;
  /** Loads at once instead of when it comes near; for pictures in sight at the start. */
  eager?: boolean;
}

/** A picture that fills its frame; the frame's size and shape come from the class name, so nothing moves when it loads. */
export function Picture({ src, alt, className, placeholder, eager = false }: PictureProps) {
  const [failedSrc, setFailedSrc] = useState<string>();
  const isMissing = src === '' || src === failedSrc;
  return (
    <div className={classNames('overflow-hidden bg-sunken', className)}>
      {isMissing ? (
        <div className="relative grid size-full place-items-center bg-accent-soft text-accent-ink">
          {placeholder ?? <ImageOff aria-hidden className="size-1/3 max-w-8" strokeWidth={1.5} />}
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
