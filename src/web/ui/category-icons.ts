import * as icons from 'lucide-react';

/** The icons by category name. The kit may not import the shop's categories; category-icons.test.ts compares both. */
export const categoryIcons: Record<string, icons.LucideIcon> = {
  'Game Keys': icons.KeyRound,
  'Software Licenses': icons.AppWindow,
  'Premium Accounts': icons.Crown,
  'Gift Cards': icons.Gift,
  'Music/Movies': icons.Clapperboard,
  eBooks: icons.BookOpen,
  Courses: icons.GraduationCap,
  Other: icons.Package,
  'Discord Nitro': icons.Gem,
  'Steam Keys': icons.Joystick,
  'Epic Games': icons.Swords,
  Netflix: icons.Tv,
  Spotify: icons.Music,
  'YouTube Premium': icons.CirclePlay,
  'Game Accounts': icons.Gamepad,
  'Xbox Game Pass': icons.Gamepad,
  'PlayStation Plus': icons.Gamepad,
  VPN: icons.ShieldCheck,
  'Other Digital': icons.Globe,
};
