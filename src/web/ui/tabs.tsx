import { Tabs as BaseTabs } from '@base-ui/react/tabs';
import { type ReactNode, useEffect, useRef } from 'react';
import { Badge } from './badge.tsx';

interface Tab<Value extends string> {
  value: Value;
  label: string;
  /** How many there are behind it. */
  count?: number | undefined;
  disabled?: boolean;
  /** What goes on in its panel goes on while another is shown. */
  keepMounted?: boolean;
  content: ReactNode;
}

interface TabsProps<Value extends string> {
  /** What the tabs choose between; read out with them. */
  label: string;
  tabs: Tab<Value>[];
  value: Value;
  onChange(value: Value): void;
}

/** Panels of which one is shown. The list scrolls sideways where it is wider than the screen. */
export function Tabs<Value extends string>({ label, tabs, value, onChange }: TabsProps<Value>) {
  const list = useRef<HTMLDivElement>(null);
  // Which one is open may be said by the address, and stand outside of a narrow screen; so may it after the counts have
  // come or the phone was turned.
  useEffect(() => {
    const chosen = list.current?.querySelector<HTMLElement>('[aria-selected="true"]');
    const frame = list.current?.parentElement;
    if (!list.current || !chosen || !frame) return;
    const observer = new ResizeObserver(() => {
      frame.scrollLeft = chosen.offsetLeft - (frame.clientWidth - chosen.offsetWidth) / 2;
    });
    observer.observe(frame);
    observer.observe(list.current);
    return () => observer.disconnect();
  }, [value]);
  return (
    <BaseTabs.Root value={value} onValueChange={(chosen: Value) => onChange(chosen)}>
      <div className="overflow-x-auto border-b border-line">
        <BaseTabs.List ref={list} activateOnFocus aria-label={label} className="relative flex w-max min-w-full gap-1">
          {tabs.map((tab) => (
            <BaseTabs.Tab
              key={tab.value}
              value={tab.value}
              disabled={tab.disabled ?? false}
              className="flex min-h-11 items-center gap-2 rounded-t-md px-4 font-semibold whitespace-nowrap text-muted transition-colors -outline-offset-2 hover:text-ink data-active:text-accent-ink data-disabled:cursor-not-allowed data-disabled:opacity-60">
              {tab.label}
              {tab.count !== undefined && (
                <Badge tone={tab.value === value ? 'accent' : 'neutral'}>{tab.count.toLocaleString('en-MY')}</Badge>
              )}
            </BaseTabs.Tab>
          ))}
          <BaseTabs.Indicator className="absolute bottom-0 left-0 h-0.5 w-(--active-tab-width) translate-x-(--active-tab-left) bg-accent transition-[translate,width]" />
        </BaseTabs.List>
      </div>
      {tabs.map((tab) => (
        <BaseTabs.Panel
          key={tab.value}
          value={tab.value}
          keepMounted={tab.keepMounted ?? false}
          className="rounded-md pt-5">
          {tab.content}
        </BaseTabs.Panel>
      ))}
    </BaseTabs.Root>
  );
}
