import { Upload } from 'lucide-react';
import { type DragEvent, type Ref, useId, useRef, useState } from 'react';
import { messageOf, uploadFile } from '../../../lib/api-client.ts';
import { Button } from '../../../ui/button.tsx';
import { classNames } from '../../../ui/class-names.ts';
import { describedBy, FieldFrame, inputClass } from '../../../ui/field.tsx';
import { Picture } from '../../../ui/picture.tsx';

const MEDIA_TYPES = ['image/png', 'image/jpeg', 'image/webp'];
const MOST_BYTES = 10 * 1024 * 1024;
const HINT = 'An https address, or a PNG, JPEG or WebP file of up to 10 MB to upload or drop here';

interface ImageFieldProps {
  label?: string;
  /** An address, as typed or as an upload got it. */
  value: string;
  onChange(value: string): void;
  error?: string | undefined;
  onBlur?: () => void;
  name?: string;
  maxLength?: number;
  /** The input, for react-hook-form to focus. */
  ref?: Ref<HTMLInputElement>;
}

/** A picture by its address or as a file. Spread the `field` of react-hook-form's Controller into it. */
export function ImageField({ label = 'Image', value, onChange, error, ...input }: ImageFieldProps) {
  const id = useId();
  const { upload, isUploading, problem, forget } = useUpload(onChange);
  const { isOver, ...drop } = useDrop(upload);
  const said = problem ?? error;
  return (
    <FieldFrame id={id} label={label} error={said} hint={HINT}>
      <div
        {...drop}
        className={classNames(
          'flex items-start gap-3 rounded-md',
          isOver && 'outline-2 outline-offset-4 outline-accent outline-dashed',
        )}
      >
        <Picture src={value} alt="" className="size-24 shrink-0 rounded-md border border-line" eager />
        <div className="grid min-w-0 grow gap-2">
          <input
            {...input}
            id={id}
            type="url"
            value={value}
            onChange={({ target }) => {
              forget();
              onChange(target.value);
            }}
            placeholder="https://"
            autoComplete="off"
            spellCheck={false}
            aria-invalid={said ? true : undefined}
            aria-describedby={describedBy(id, HINT, said)}
            className={inputClass()}
          />
          <UploadButton onChoose={upload} isUploading={isUploading} />
        </div>
      </div>
    </FieldFrame>
  );
}

function UploadButton({ onChoose, isUploading }: { onChoose(file: File): void; isUploading: boolean }) {
  const chooser = useRef<HTMLInputElement>(null);
  return (
    <div>
      <Button variant="secondary" size="sm" loading={isUploading} onClick={() => chooser.current?.click()}>
        {!isUploading && <Upload aria-hidden className="size-4" />}
        {isUploading ? 'Uploading...' : 'Upload'}
      </Button>
      <input
        ref={chooser}
        type="file"
        hidden
        aria-label="Image file"
        accept={MEDIA_TYPES.join(',')}
        onChange={({ target }) => {
          const [file] = target.files ?? [];
          // The same file may be chosen again, after it was mended.
          target.value = '';
          if (file) onChoose(file);
        }}
      />
    </div>
  );
}

function useUpload(onUploaded: (url: string) => void) {
  const [isUploading, setIsUploading] = useState(false);
  const [problem, setProblem] = useState<string>();

  async function send(file: File) {
    if (isUploading) return;
    if (!MEDIA_TYPES.includes(file.type)) return setProblem('Please choose a PNG, JPEG or WebP image');
    if (file.size > MOST_BYTES) return setProblem('Please choose an image of at most 10 MB');
    setProblem(undefined);
    setIsUploading(true);
    try {
      const { data } = await uploadFile('POST /admin/images', file);
      onUploaded(data.url);
    } catch (failure) {
      setProblem(messageOf(failure, 'Failed to upload image'));
    } finally {
      setIsUploading(false);
    }
  }
  return {
    upload: (file: File) => void send(file),
    isUploading,
    problem,
    forget: () => setProblem(undefined),
  };
}

function useDrop(onDrop: (file: File) => void) {
  const [isOver, setIsOver] = useState(false);
  return {
    isOver,
    onDragOver: (event: DragEvent) => {
      // Without this the browser would open the file in the shop's place.
      event.preventDefault();
      setIsOver(true);
    },
    onDragLeave: () => setIsOver(false),
    onDrop: (event: DragEvent) => {
      event.preventDefault();
      setIsOver(false);
      const [file] = event.dataTransfer.files;
      if (file) onDrop(file);
    },
  };
}
