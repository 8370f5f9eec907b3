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
  Joystick,
  KeyRound,
  type LucideIcon,
  Music,
  Package,
  ShieldCheck,
  Swords,
  Tv,
} from 'lucide-react';
import type { Category } from '../../../shared/catalog.ts';

const icons: Record<Category, LucideIcon> = {
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

export function CategoryIcon({ category, className }: { category: Category; className?: string }) {
  const Icon = icons[category];
  return <Icon aria-hidden className={className} />;
}
