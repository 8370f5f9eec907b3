import { useMutation } from '@tanstack/react-query';
import { ArrowUp, Plus, Trash2, Upload } from 'lucide-react';
import { type Dispatch, type DragEvent, type SetStateAction, useEffect, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { get, type RefCallBack, useController } from 'react-hook-form';
import { MAX_UPLOAD_BYTES } from '../../../../shared/endpoint.ts';
import { MAX_PICTURES } from '../../../../shared/products.ts';
import { messageOf, uploadFile } from '../../../lib/api-client.ts';
import { useDebounced } from '../../../lib/page.ts';
import { useIsShown } from '../../../state/answers.ts';
import { Button, FileButton, IconButton, keepFocus } from '../../../ui/button.tsx';
import { classNames, Picture } from '../../../ui/display.tsx';
import { FieldFrame, inputClass } from '../../../ui/field.tsx';
import type { ProductFormState } from './use-product-form.tsx';

interface PicturesFieldProps {
  product: ProductFormState;
  label: string;
  maxLength: number | undefined;
}

/** The pictures of a product in their order. The first is the field `image`, the others are the field `images`. */
export function PicturesField({ product, label, maxLength }: PicturesFieldProps) {
  const { control } = product.form;
  const { field: first, formState } = useController({ control, name: 'image' });
  const { field: others } = useController({ control, name: 'images' });
  const list = useRef<HTMLOListElement>(null);
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

  // The button of the first picture is disabled.
  const moveUp = (place: number) => keepFocus(() => change(swapped(pictures, place), swapped(keys, place)));
  const remove = (place: number) => keepFocus(() => change(pictures.toSpliced(place, 1), keys.toSpliced(place, 1)));
  function add() {
    flushSync(() => change([...pictures, ''], [...keys, Math.max(...keys) + 1]));
    list.current?.querySelector<HTMLElement>('li:last-child input')?.focus();
  }
  const errorAt = (place: number) =>
    get(formState.errors, `${place === 0 ? 'image' : `images.${place}`}.message`) as string | undefined;

  return (
    <div className="grid gap-4">
      <ol ref={list} className="grid gap-4">
        {pictures.map((picture, place) => {
          const isFirst = place === 0;
          const name = isFirst ? label : `Picture ${place + 1}`;
          return (
            <li key={keys[place]} tabIndex={-1} className="flex items-start gap-2 outline-none">
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
                    onClick={() => void moveUp(place)}
                  />
                  <IconButton icon={Trash2} label={`Remove: ${name}`} onClick={() => void remove(place)} />
                </div>
              )}
            </li>
          );
        })}
      </ol>
      {pictures.length < MAX_PICTURES && (
        <Button icon={Plus} variant="secondary" size="sm" className="justify-self-start" onClick={add}>
          Add a picture
        </Button>
      )}
    </div>
  );
}

const swapped = <T,>(list: readonly T[], place: number): T[] =>
  list.with(place - 1, list[place] as T).with(place, list[place - 1] as T);

const MEDIA_TYPES = ['image/png', 'image/jpeg', 'image/webp'];
const HINT = 'An https address, or a PNG, JPEG or WebP file of up to 10 MB to upload or drop here';

interface ImageFieldProps {
  label: string;
  name: string;
  ref: RefCallBack | undefined;
  hasHint: boolean;
  value: string;
  onChange(url: string): void;
  onBlur(): void;
  setUploads: Dispatch<SetStateAction<number>>;
  error: string | undefined;
  maxLength: number | undefined;
}

function ImageField({ label, hasHint, value, onChange, onBlur, setUploads, error, ...input }: ImageFieldProps) {
  const picture = hasHint ? 'Image' : label;
  const isShown = useIsShown();
  const [isOver, setIsOver] = useState(false);
  const [problem, setProblem] = useState<string>();
  // While an address is typed, each key would request another picture.
  const [preview, setPreview] = useDebounced(value);
  const { mutate: upload, isPending: isUploading } = useMutation({
    mutationFn: (file: File) => uploadFile('POST /admin/images', file),
    onSuccess: ({ data }) => {
      // The picture may have been removed meanwhile.
      if (isShown.current) onChange(data.url);
    },
    onError: (failure) => setProblem(messageOf(failure, 'Failed to upload image')),
  });

  useEffect(() => {
    if (!isUploading) return;
    setUploads((count) => count + 1);
    return () => setUploads((count) => count - 1);
  }, [isUploading, setUploads]);

  function choose(file: File | undefined) {
    if (!file || isUploading) return;
    const refusal = refusalOf(file);
    setProblem(refusal);
    if (refusal === undefined) upload(file);
  }
  const follow = (event: DragEvent, isDropped: boolean) => {
    // Without this, the browser would leave the shop and open the dropped file.
    event.preventDefault();
    setIsOver(!isDropped);
    if (isDropped) choose(event.dataTransfer.files[0]);
  };
  const dropHandlers = {
    onDragOver: (event: DragEvent) => follow(event, false),
    onDragLeave: () => setIsOver(false),
    onDrop: (event: DragEvent) => follow(event, true),
  };
  return (
    <FieldFrame label={label} error={problem ?? error} hint={hasHint ? HINT : undefined}>
      {(control) => (
        <div
          {...dropHandlers}
          className={classNames(
            'flex items-start gap-3 rounded-md',
            isOver && 'outline-2 outline-offset-4 outline-accent outline-dashed',
          )}>
          <Picture src={preview} className="size-24 shrink-0 rounded-md border border-line" eager />
          <div className="grid min-w-0 grow justify-items-start gap-2">
            <input
              {...input}
              {...control}
              type="url"
              value={value}
              onChange={({ target }) => {
                setProblem(undefined);
                onChange(target.value);
              }}
              onBlur={() => {
                setPreview(value);
                onBlur();
              }}
              placeholder="https://"
              autoComplete="off"
              spellCheck={false}
              className={inputClass()}
            />
            <FileButton
              label={`${picture} file`}
              accept={MEDIA_TYPES.join(',')}
              variant="secondary"
              size="sm"
              loading={isUploading}
              onChoose={choose}>
              {!isUploading && <Upload aria-hidden className="size-4" />}
              {isUploading ? 'Uploading...' : 'Upload'}
              <span className="sr-only">{picture}</span>
            </FileButton>
          </div>
        </div>
      )}
    </FieldFrame>
  );
}

function refusalOf({ type, size }: File): string | undefined {
  if (!MEDIA_TYPES.includes(type)) return 'Please choose a PNG, JPEG or WebP image';
  return size > MAX_UPLOAD_BYTES ? 'Please choose an image of at most 10 MB' : undefined;
}
