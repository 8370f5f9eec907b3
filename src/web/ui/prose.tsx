import { Image } from 'lucide-react';
import { type ComponentProps, type ReactNode, useState } from 'react';
import { classNames } from './class-names.ts';

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

/** A quoted text with a title, such as the shop's reply to a review. */
export const Quote = ({ title, children }: { title: ReactNode; children: ReactNode }) => (
  <div className="grid gap-1 rounded-md bg-sunken px-4 py-3 text-sm">
    <p className="font-semibold">{title}</p>
    <PersonText className="max-w-reading">{children}</PersonText>
  </div>
);
