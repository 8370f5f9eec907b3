import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Skeleton } from './card.tsx';
import { classNames } from './class-names.ts';
import { Dialog } from './dialog.tsx';
import { InlinePicture } from './inline-picture.tsx';
import { TryAgain } from './loading.tsx';

interface MessageProps {
  author: string;
  at: ReactNode;
  /** Whether the reader's side wrote the message, which is then aligned right. */
  isOwn: boolean;
  /** Null if the message cannot be decrypted. */
  text: string | null;
  /** Shown below the text. */
  children?: ReactNode;
}

export const Message = ({ author, at, isOwn, text, children }: MessageProps) => (
  <li
    className={classNames(
      'grid max-w-[min(36rem,92%)] gap-1.5 rounded-lg px-4 py-3',
      isOwn ? 'justify-self-end bg-accent-soft' : 'justify-self-start bg-sunken',
    )}>
    <p className="flex flex-wrap gap-x-2 text-sm">
      <span className="font-semibold">{author}</span>
      <span className="text-muted">{at}</span>
    </p>
    {text === null ? (
      <p className="text-danger">This message cannot be read.</p>
    ) : (
      <p className="whitespace-pre-line wrap-anywhere">{text}</p>
    )}
    {children}
  </li>
);

/** A quoted text with a title, such as the shop's reply to a review. */
export const Quote = ({ title, children }: { title: string; children: ReactNode }) => (
  <div className="grid gap-1 rounded-md bg-sunken px-4 py-3 text-sm">
    <p className="font-semibold">{title}</p>
    <p className="max-w-reading whitespace-pre-line wrap-anywhere">{children}</p>
  </div>
);

interface MessagePictureProps extends LoadedPictureProps {
  /** `removed`: it was deleted earlier than its message. */
  picture: 'none' | 'kept' | 'removed';
}

/** The picture of a message, as far as the shop still has it. */
export const MessagePicture = ({ picture, ...kept }: MessagePictureProps) => (
  <>
    {picture === 'kept' && <LoadedPicture {...kept} />}
    {picture === 'removed' && <p className="text-sm text-muted">The picture was deleted after a year.</p>}
  </>
);

interface LoadedPictureProps {
  queryKey: readonly unknown[];
  /** Resolves to a WebP in base64. */
  load(): Promise<string>;
}

const alt = 'Picture of the problem';

/** A picture that an API call returns. A press on the picture enlarges it in a dialog. */
function LoadedPicture({ queryKey, load }: LoadedPictureProps) {
  const query = useQuery({ queryKey, queryFn: load, staleTime: Number.POSITIVE_INFINITY });
  const [isLarge, setIsLarge] = useState(false);
  if (query.isError) {
    return (
      <p className="flex flex-wrap items-center gap-3 text-sm text-danger">
        The picture could not be loaded.
        <TryAgain query={query} size="sm" variant="secondary" />
      </p>
    );
  }
  const { data } = query;
  if (data === undefined) return <Skeleton className="h-40 w-56 max-w-full" />;
  const src = `data:image/webp;base64,${data}`;
  return (
    <>
      <button
        type="button"
        aria-label={`Enlarge: ${alt}`}
        onClick={() => setIsLarge(true)}
        className="justify-self-start rounded-md">
        <InlinePicture src={src} alt={alt} className="max-h-48 max-w-full rounded-md border border-line" />
      </button>
      <Dialog
        title={alt}
        isOpen={isLarge}
        onClose={() => setIsLarge(false)}
        className="w-[min(72rem,calc(100vw-2rem))]">
        <InlinePicture src={src} alt={alt} className="mx-auto max-w-full rounded-md" />
      </Dialog>
    </>
  );
}
