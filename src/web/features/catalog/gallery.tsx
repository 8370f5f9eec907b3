import { useState } from 'react';
import type { Product } from '../../../shared/catalog.ts';
import { classNames } from '../../ui/class-names.ts';
import { Picture } from '../../ui/picture.tsx';

/** Shows the chosen picture of a product, with thumbnails below it if there are several pictures. */
export function Gallery({ product: { name, images: listed, category } }: { product: Product }) {
  const images = [...new Set(listed)];
  const [chosen, setChosen] = useState(0);
  // The product may have fewer pictures after an edit.
  const place = Math.min(chosen, images.length - 1);
  return (
    <div className="grid gap-3 md:sticky md:top-[calc(var(--below-header)+1.5rem)]">
      <Picture
        src={images[place] ?? ''}
        alt={place === 0 ? `Cover of ${name}` : `Picture ${place + 1} of ${name}`}
        eager
        className="aspect-4/3 rounded-xl border border-line shadow-card"
        category={category}
      />
      {images.length > 1 && (
        <ul aria-label="Pictures" className="flex flex-wrap gap-2">
          {images.map((image, index) => (
            <li key={image}>
              <button
                type="button"
                aria-label={`Picture ${index + 1} of ${images.length}`}
                aria-pressed={index === place}
                onClick={() => setChosen(index)}
                className={classNames(
                  'block rounded-md border-2 p-0.5 transition-colors',
                  index === place ? 'border-accent' : 'border-transparent hover:border-line',
                )}>
                <Picture src={image} alt="" className="h-13 w-17 rounded-sm" category={category} />
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
