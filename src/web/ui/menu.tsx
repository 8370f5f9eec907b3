import { Menu as BaseMenu } from '@base-ui/react/menu';
import type { LucideIcon } from 'lucide-react';
import type { ComponentProps, ReactNode } from 'react';
import { classNames } from './class-names.ts';

interface MenuAction {
  label: string;
  icon?: LucideIcon;
  onSelect(): void;
  disabled?: boolean;
  /** For what cannot be undone. */
  dangerous?: boolean;
}

interface MenuProps {
  trigger: ReactNode;
  /** Name and looks of the button; see `buttonClass` and `iconButtonClass`. */
  triggerProps: Pick<ComponentProps<'button'>, 'aria-label' | 'className' | 'disabled'>;
  /** A line is drawn between the groups. */
  groups: MenuAction[][];
}

/** Actions behind a button: arrow keys, typing a first letter, Escape. For choices and texts there is Popover. */
export function Menu({ trigger, triggerProps, groups }: MenuProps) {
  return (
    <BaseMenu.Root modal={false}>
      <BaseMenu.Trigger {...triggerProps}>{trigger}</BaseMenu.Trigger>
      <BaseMenu.Portal>
        <BaseMenu.Positioner align="end" sideOffset={6} collisionPadding={12} className="z-50 outline-none">
          <BaseMenu.Popup className="min-w-48 rounded-md border border-line bg-raised p-1.5 text-ink shadow-float outline-none transition-opacity data-ending-style:opacity-0 data-starting-style:opacity-0">
            {groups.map((actions, place) => (
              <BaseMenu.Group
                key={actions.map(({ label }) => label).join()}
                className={classNames(place > 0 && 'mt-1.5 border-t border-line pt-1.5')}>
                {actions.map((action) => (
                  <Action key={action.label} {...action} />
                ))}
              </BaseMenu.Group>
            ))}
          </BaseMenu.Popup>
        </BaseMenu.Positioner>
      </BaseMenu.Portal>
    </BaseMenu.Root>
  );
}

function Action({ label, icon: Icon, onSelect, disabled = false, dangerous = false }: MenuAction) {
  return (
    <BaseMenu.Item
      onClick={onSelect}
      disabled={disabled}
      className={classNames(
        'flex min-h-11 cursor-pointer items-center gap-3 rounded-sm px-3 text-sm font-medium outline-none select-none',
        'data-disabled:cursor-not-allowed data-disabled:text-muted',
        dangerous
          ? 'text-danger data-highlighted:bg-danger-soft'
          : 'data-highlighted:bg-accent-soft data-highlighted:text-accent-ink',
      )}>
      {Icon && <Icon aria-hidden className="size-4.5 shrink-0" />}
      {label}
    </BaseMenu.Item>
  );
}
