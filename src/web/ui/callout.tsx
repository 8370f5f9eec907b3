import type { LucideIcon } from 'lucide-react';
import type { ComponentProps } from 'react';
import { type Tone, toneClass } from './badge.tsx';
import { classNames } from './class-names.ts';

interface CalloutProps extends ComponentProps<'div'> {
  tone: Tone;
  icon?: LucideIcon;
}

/** A coloured box around a message in the page. */
export const Callout = ({ tone, icon: Icon, className, children, ...rest }: CalloutProps) => (
  <div
    {...rest}
    className={classNames('rounded-md px-4 py-3', toneClass[tone], Icon && 'flex items-start gap-3', className)}>
    {Icon && <Icon aria-hidden className="mt-0.5 size-5 shrink-0" />}
    {children}
  </div>
);
