import { useMutation } from '@tanstack/react-query';
import { Upload } from 'lucide-react';
import { type Dispatch, type DragEvent, type SetStateAction, useEffect, useState } from 'react';
import type { RefCallBack } from 'react-hook-form';
import { MAX_UPLOAD_BYTES } from '../../../../shared/endpoint.ts';
import { messageOf, uploadFile } from '../../../lib/api-client.ts';
import { useIsShown } from '../../../state/late-answer.ts';
import { FileButton } from '../../../ui/button.tsx';
import { classNames } from '../../../ui/class-names.ts';
import { FieldFrame, inputClass } from '../../../ui/field.tsx';
import { Picture } from '../../../ui/picture.tsx';

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
  /** Counts the running uploads of the form. */
  setUploads: Dispatch<SetStateAction<number>>;
  error: string | undefined;
  maxLength: number | undefined;
}

/** A picture, given by its URL or uploaded as a file. */
export function ImageField({ label, hasHint, value, onChange, setUploads, error, ...input }: ImageFieldProps) {
  const isShown = useIsShown();
  const [isOver, setIsOver] = useState(false);
  const [problem, setProblem] = useState<string>();
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
    // Otherwise the browser would leave the shop and open the dropped file.
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
          <Picture src={value} alt="" className="size-24 shrink-0 rounded-md border border-line" eager />
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
              placeholder="https://"
              autoComplete="off"
              spellCheck={false}
              className={inputClass()}
            />
            <FileButton
              label={`${hasHint ? 'Image' : label} file`}
              accept={MEDIA_TYPES.join(',')}
              variant="secondary"
              size="sm"
              loading={isUploading}
              onChoose={choose}>
              {!isUploading && <Upload aria-hidden className="size-4" />}
              {isUploading ? 'Uploading...' : 'Upload'}
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
