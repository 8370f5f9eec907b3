import { Package } from 'lucide-react';
import { useState } from 'react';
import { classNames } from './class-names.ts';

interface ProductImageProps {
  src: string;
  /** Empty beside the product's name, which says it already. */
  alt?: string;
  /** Gives its size. */
  className?: string;
}

/** A product's picture, or a placeholder when there is none or it does not load. */
export function ProductImage({ src, alt = '', className }: ProductImageProps) {
  const [failed, setFailed] = useState<string | null>(null);
  if (src === '' || src === failed) {
    return (
      <span className={classNames('grid place-items-center bg-sunken text-muted', className)}>
        <Package aria-hidden className="size-1/3 max-h-10 min-h-5" strokeWidth={1.5} />
        {alt !== '' && <span className="sr-only">{alt}</span>}
      </span>
    );
  }
  return (
    <img
      src={src}
      alt={alt}
      loading="lazy"
      decoding="async"
      onError={() => setFailed(src)}
      className={classNames('bg-sunken object-cover', className)}
    />
  );
}
