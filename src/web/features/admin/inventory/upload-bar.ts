import { classNames } from '../../../ui/class-names.ts';

// Chromium and Safari draw the bar as two parts, Firefox as one.
export const barClass = classNames(
  'h-3 w-full appearance-none overflow-hidden rounded-full bg-sunken',
  '[&::-moz-progress-bar]:bg-accent [&::-webkit-progress-bar]:bg-sunken [&::-webkit-progress-value]:bg-accent',
);
