import type { ComponentProps, ReactNode } from 'react';
import { classNames } from './class-names.ts';

/** A checkbox with its label. Spread react-hook-form's `register(...)` into it. */
export const Checkbox = ({ className, children, ...input }: ComponentProps<'input'>) => (
  <label className={classNames('flex min-h-11 items-center gap-3', className)}>
    <input {...input} type="checkbox" className="size-5 shrink-0 accent-accent" />
    {children}
  </label>
);

interface ChoiceProps {
  /** Name of the radio group, of which one choice is checked. */
  name: string;
  checked: boolean;
  onChoose(): void;
  children: ReactNode;
}

/** A radio button with its label. The caller renders the fieldset and legend of the group. */
export const Choice = ({ name, checked, onChoose, children }: ChoiceProps) => (
  <label className="flex min-h-11 items-center gap-3 rounded-md border border-edge px-4 py-2 has-checked:border-accent has-checked:bg-accent-soft has-checked:font-semibold has-checked:text-accent-ink">
    <input type="radio" name={name} checked={checked} onChange={onChoose} className="size-4 shrink-0 accent-accent" />
    <span className="min-w-0 wrap-anywhere">{children}</span>
  </label>
);
