import { Image, Package } from 'lucide-react';
import { useState } from 'react';
import { categoryIcons } from './category-icons.ts';
import { classNames } from './class-names.ts';

interface PictureProps {
  src: string;
  /** Left out if the text beside the picture says the same. */
  alt?: string;
  className?: string;
  /** The product's category; its icon replaces a picture that is missing or does not load. */
  category?: string;
  /** Loads at once instead of when scrolled near; for pictures that are visible at the start. */
  eager?: boolean;
}

/** A picture that fills its frame; the frame's size comes from the class name, so loading shifts nothing. */
export function Picture({ src, alt = '', className, category, eager = false }: PictureProps) {
  const [failedSrc, setFailedSrc] = useState<string>();
  const isMissing = src === '' || src === failedSrc;
  return (
    <div className={classNames('overflow-hidden bg-sunken', className)}>
      {isMissing ? (
        <div className="relative grid size-full place-items-center bg-accent-soft text-accent-ink">
          {category === undefined ? (
            <Image aria-hidden className="size-1/3 max-w-8 opacity-60" strokeWidth={1.5} />
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

/** The icon of a category; a parcel for categories without an icon, such as those of physical products. */
export function CategoryIcon({ category, className }: { category: string; className?: string }) {
  const Icon = categoryIcons[category] ?? Package;
  return <Icon aria-hidden className={className} />;
}
