import { Tabs as BaseTabs } from '@base-ui/react/tabs';
import { type ReactNode, useEffect, useRef } from 'react';
import { Badge } from './display.tsx';

interface Tab<Value extends string> {
  value: Value;
  label: string;
  count?: number | undefined;
  /** Keeps the panel mounted while another panel is shown, so that work in it continues. */
  keepMounted?: boolean;
  content: ReactNode;
}

interface TabsProps<Value extends string> {
  label: string;
  tabs: Tab<Value>[];
  value: Value;
  onChange(value: Value): void;
}

/** Panels of which one is shown. The list of tabs scrolls sideways where it is wider than the screen. */
export function Tabs<Value extends string>({ label, tabs, value, onChange }: TabsProps<Value>) {
  const list = useRef<HTMLDivElement>(null);
  const shown = useRef(value);
  // The open tab comes from the URL, and may be outside of a narrow screen, also after counts load or the phone turns.
  useEffect(() => {
    const chosen = list.current?.querySelector<HTMLElement>('[aria-selected="true"]');
    const frame = list.current?.parentElement;
    if (!list.current || !chosen || !frame) return;
    // A button or link in the previous panel, which closes, may have opened this one.
    const panel = document.activeElement?.closest('[role="tabpanel"]');
    const isLost = panel ? panel.id !== chosen.getAttribute('aria-controls') : document.activeElement === document.body;
    if (isLost && shown.current !== value) chosen.focus();
    shown.current = value;
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
        <BaseTabs.List ref={list} activateOnFocus aria-label={label} className="relative flex w-max min-w-full">
          {tabs.map((tab) => (
            <BaseTabs.Tab
              key={tab.value}
              value={tab.value}
              className="flex min-h-11 items-center gap-1.5 rounded-t-md px-2 font-semibold whitespace-nowrap text-muted transition-colors -outline-offset-2 hover:text-ink data-active:text-accent-ink">
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
          className="rounded-md pt-5 outline-offset-6">
          {tab.content}
        </BaseTabs.Panel>
      ))}
    </BaseTabs.Root>
  );
}
