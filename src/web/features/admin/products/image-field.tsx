import { Upload } from 'lucide-react';
import { type DragEvent, type Ref, useId, useRef, useState } from 'react';
import { messageOf, uploadFile } from '../../../lib/api-client.ts';
import { Button } from '../../../ui/button.tsx';
import { classNames } from '../../../ui/class-names.ts';
import { describedBy, FieldFrame, inputClass } from '../../../ui/field.tsx';
import { Picture } from '../../../ui/picture.tsx';

const MEDIA_TYPES = ['image/png', 'image/jpeg', 'image/webp'];
const MAX_BYTES = 10 * 1024 * 1024;
const HINT = 'An https address, or a PNG, JPEG or WebP file of up to 10 MB to upload or drop here';

interface ImageFieldProps {
  label: string;
  /** A URL, typed or returned by an upload. */
  value: string;
  onChange(value: string): void;
  error: string | undefined;
  onBlur(): void;
  name: string;
  maxLength: number | undefined;
  /** The input, for react-hook-form to focus. */
  ref: Ref<HTMLInputElement>;
}

/** A picture by its URL or as a file. Spread the `field` of react-hook-form's Controller into it. */
export function ImageField({ label, value, onChange, error, ...input }: ImageFieldProps) {
  const id = useId();
  const { upload, isUploading, problem, clearProblem } = useUpload(onChange);
  const { isOver, ...dropHandlers } = useDrop(upload);
  const shownError = problem ?? error;
  return (
    <FieldFrame id={id} label={label} error={shownError} hint={HINT}>
      <div
        {...dropHandlers}
        className={classNames(
          'flex items-start gap-3 rounded-md',
          isOver && 'outline-2 outline-offset-4 outline-accent outline-dashed',
        )}>
        <Picture src={value} alt="" className="size-24 shrink-0 rounded-md border border-line" eager />
        <div className="grid min-w-0 grow gap-2">
          <input
            {...input}
            id={id}
            type="url"
            value={value}
            onChange={({ target }) => {
              clearProblem();
              onChange(target.value);
            }}
            placeholder="https://"
            autoComplete="off"
            spellCheck={false}
            aria-invalid={shownError ? true : undefined}
            aria-describedby={describedBy(id, HINT, shownError)}
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
          // So that the same file can be chosen again.
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
    if (file.size > MAX_BYTES) return setProblem('Please choose an image of at most 10 MB');
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
  return { upload: (file: File) => void send(file), isUploading, problem, clearProblem: () => setProblem(undefined) };
}

function useDrop(onDrop: (file: File) => void) {
  const [isOver, setIsOver] = useState(false);
  return {
    isOver,
    onDragOver: (event: DragEvent) => {
      // Otherwise the browser opens the file instead of the shop.
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
