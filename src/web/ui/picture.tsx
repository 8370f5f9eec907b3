import {
  AppWindow,
  BookOpen,
  CirclePlay,
  Clapperboard,
  Crown,
  Gamepad,
  Gamepad2,
  Gem,
  Gift,
  Globe,
  GraduationCap,
  ImageOff,
  Joystick,
  KeyRound,
  type LucideIcon,
  Music,
  Package,
  ShieldCheck,
  Swords,
  Tv,
} from 'lucide-react';
import { useState } from 'react';
import { classNames } from './class-names.ts';

/** By the category's name. The kit may not import the shop's list; picture.test.ts compares the two. */
export const categoryIcons: Record<string, LucideIcon> = {
  'Game Keys': KeyRound,
  'Software Licenses': AppWindow,
  'Premium Accounts': Crown,
  'Gift Cards': Gift,
  'Music/Movies': Clapperboard,
  eBooks: BookOpen,
  Courses: GraduationCap,
  Other: Package,
  'Discord Nitro': Gem,
  'Steam Keys': Joystick,
  'Epic Games': Swords,
  Netflix: Tv,
  Spotify: Music,
  'YouTube Premium': CirclePlay,
  'Game Accounts': Gamepad2,
  'Xbox Game Pass': Gamepad,
  'PlayStation Plus': Gamepad,
  VPN: ShieldCheck,
  'Other Digital': Globe,
};

interface PictureProps {
  src: string;
  /** Empty if the text beside the picture says the same. */
  alt: string;
  className?: string;
  /** The product's category; its icon replaces a picture that is missing or does not load. */
  category?: string;
  /** Loads at once instead of when scrolled near; for pictures that are visible at the start. */
  eager?: boolean;
}

/** A picture that fills its frame; the frame's size comes from the class name, so loading shifts nothing. */
export function Picture({ src, alt, className, category, eager = false }: PictureProps) {
  const [failedSrc, setFailedSrc] = useState<string>();
  const isMissing = src === '' || src === failedSrc;
  return (
    <div className={classNames('overflow-hidden bg-sunken', className)}>
      {isMissing ? (
        <div className="relative grid size-full place-items-center bg-accent-soft text-accent-ink">
          {category === undefined ? (
            <ImageOff aria-hidden className="size-1/3 max-w-8" strokeWidth={1.5} />
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
