import { useQuery } from '@tanstack/react-query';
import { Image } from 'lucide-react';
import { type ComponentProps, type ReactNode, useState } from 'react';
import { Dialog } from './dialog.tsx';
import { classNames, Skeleton } from './display.tsx';
import { TryAgain } from './loading.tsx';

/** A picture in its own size, within a text or a conversation. If it does not load, its `alt` text is shown instead. */
export function InlinePicture({ src, alt, className }: { src: string; alt: string; className?: string }) {
  const [failedSrc, setFailedSrc] = useState<string>();
  if (src !== failedSrc) return <img src={src} alt={alt} onError={() => setFailedSrc(src)} className={className} />;
  return (
    <span
      role="img"
      aria-label={alt}
      className={classNames('inline-flex items-center gap-2 bg-accent-soft p-4 text-accent-ink', className)}>
      <Image aria-hidden className="size-6 shrink-0 opacity-60" strokeWidth={1.5} />
      <span aria-hidden>{alt}</span>
    </span>
  );
}

/** A text that a person wrote, in its own direction, with its line breaks and spaces. */
export const PersonText = ({ className, ...text }: ComponentProps<'p'>) => (
  <p {...text} dir="auto" className={classNames('whitespace-pre-wrap wrap-anywhere', className)} />
);

export const Quote = ({ title, children }: { title: ReactNode; children: ReactNode }) => (
  <div className="grid gap-1 rounded-md bg-sunken px-4 py-3 text-sm">
    <p className="font-semibold wrap-anywhere">{title}</p>
    <PersonText className="max-w-reading">{children}</PersonText>
  </div>
);

interface ShownMessage {
  _id: string;
  side: 'buyer' | 'shop';
  at: string;
  /** Null if the message cannot be decrypted. */
  message: string | null;
  /** `removed`: it was deleted earlier than its message. */
  picture: 'none' | 'kept' | 'removed';
}

interface MessagesProps<Message extends ShownMessage> {
  messages: readonly Message[];
  /** The reader's side, whose messages are aligned right. */
  ownSide: ShownMessage['side'];
  authorOf(message: Message): string;
  moment(at: string): ReactNode;
  /** Prefix of the query keys of the pictures. */
  pictureKey: readonly unknown[];
  /** Resolves to a WebP in base64. */
  loadPicture(messageId: string): Promise<string>;
}

/** The messages between a buyer and the shop, with their pictures as far as the shop still has them. */
export const Messages = <Message extends ShownMessage>(props: MessagesProps<Message>) => (
  <ol aria-label="Messages" className="grid grid-cols-1 gap-2">
    {props.messages.map((message) => (
      <li
        key={message._id}
        className={classNames(
          'grid max-w-[min(36rem,92%)] gap-1.5 rounded-lg px-4 py-3',
          message.side === props.ownSide ? 'justify-self-end bg-accent-soft' : 'justify-self-start bg-sunken',
        )}>
        <p className="flex flex-wrap gap-x-2 text-sm wrap-anywhere">
          <span className="font-semibold">{props.authorOf(message)}</span>
          <span className="text-muted">{props.moment(message.at)}</span>
        </p>
        {message.message === null ? (
          <p className="text-danger">This message cannot be read.</p>
        ) : (
          <PersonText>{message.message}</PersonText>
        )}
        {message.picture === 'kept' && (
          <LoadedPicture queryKey={[...props.pictureKey, message._id]} load={() => props.loadPicture(message._id)} />
        )}
        {message.picture === 'removed' && <p className="text-sm text-muted">The picture was deleted after a year.</p>}
      </li>
    ))}
  </ol>
);

const alt = 'Picture of the problem';

/** A picture that an API call returns. A press on the picture enlarges it in a dialog. */
function LoadedPicture({ queryKey, load }: { queryKey: readonly unknown[]; load(): Promise<string> }) {
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
