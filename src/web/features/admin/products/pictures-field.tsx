import { ArrowUp, Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { get, useController } from 'react-hook-form';
import { MAX_PICTURES } from '../../../../shared/products.ts';
import { Button, IconButton } from '../../../ui/button.tsx';
import { ImageField } from './image-field.tsx';
import type { ProductFormState } from './use-product-form.tsx';

interface PicturesFieldProps {
  product: ProductFormState;
  /** Label of the first picture. */
  label: string;
  maxLength: number | undefined;
}

/** The pictures of a product in their order. The first is the field `image`, the others are the field `images`. */
export function PicturesField({ product, label, maxLength }: PicturesFieldProps) {
  const { control } = product.form;
  const { field: first, formState } = useController({ control, name: 'image' });
  const { field: others } = useController({ control, name: 'images' });
  const pictures = [first.value, ...others.value];
  // React keys of the pictures by place. A picture keeps its key, and so its running upload, when it moves.
  const [known, setKnown] = useState<number[]>([]);
  const keys = pictures.map((_, place) => known[place] ?? place);

  function change(next: string[], nextKeys: number[]) {
    setKnown(nextKeys);
    const [image = '', ...images] = next;
    if (image !== first.value) first.onChange(image);
    if (JSON.stringify(images) !== JSON.stringify(others.value)) others.onChange(images);
  }

  const moveUp = (place: number) => change(swapped(pictures, place), swapped(keys, place));
  const remove = (place: number) => change(pictures.toSpliced(place, 1), keys.toSpliced(place, 1));
  const errorAt = (place: number) =>
    get(formState.errors, `${place === 0 ? 'image' : `images.${place}`}.message`) as string | undefined;

  return (
    <div className="grid gap-4">
      {pictures.map((picture, place) => {
        const isFirst = place === 0;
        const name = isFirst ? label : `Picture ${place + 1}`;
        return (
          <div key={keys[place]} className="flex items-start gap-2">
            <div className="min-w-0 grow">
              <ImageField
                label={name}
                name={isFirst ? first.name : `images.${place}`}
                ref={isFirst ? first.ref : undefined}
                hasHint={isFirst}
                value={picture}
                onChange={(url) => change(pictures.with(place, url), keys)}
                onBlur={isFirst ? first.onBlur : others.onBlur}
                error={errorAt(place)}
                maxLength={maxLength}
                setUploads={product.setUploads}
              />
            </div>
            {pictures.length > 1 && (
              <div className="mt-6 flex max-sm:flex-col">
                <IconButton
                  icon={ArrowUp}
                  label={`Move up: ${name}`}
                  disabled={isFirst}
                  onClick={() => moveUp(place)}
                />
                <IconButton icon={Trash2} label={`Remove: ${name}`} onClick={() => remove(place)} />
              </div>
            )}
          </div>
        );
      })}
      {pictures.length < MAX_PICTURES && (
        <Button
          icon={Plus}
          variant="secondary"
          size="sm"
          className="justify-self-start"
          onClick={() => change([...pictures, ''], [...keys, Math.max(...keys) + 1])}>
          Add a picture
        </Button>
      )}
    </div>
  );
}

/** Returns the list with the entry at `place` moved up by one place. */
const swapped = <T,>(list: readonly T[], place: number): T[] => {
  const [moved] = list.slice(place, place + 1) as [T];
  return list.toSpliced(place, 1).toSpliced(place - 1, 0, moved);
};
