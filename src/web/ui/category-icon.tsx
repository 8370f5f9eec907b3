import { Package } from 'lucide-react';
import { categoryIcons } from './category-icons.ts';

/** The icon of a category; a parcel for one that the shop has no icon for, as those of physical products. */
export function CategoryIcon({ category, className }: { category: string; className?: string }) {
  const Icon = categoryIcons[category] ?? Package;
  return <Icon aria-hidden className={className} />;
}
