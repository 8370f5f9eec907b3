import type { UseInfiniteQueryResult } from '@tanstack/react-query';
import { CircleAlert, type LucideIcon } from 'lucide-react';
import { type ComponentProps, type ReactNode, useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { Button, keepFocus } from './button.tsx';
import { Callout, classNames, EmptyState } from './display.tsx';

/** `label` is for screen readers. */
export const Loading = ({ label, className, children }: { label: string; className?: string; children: ReactNode }) => (
  <div role="status" className={classNames('grid gap-6', className)}>
    <span className="sr-only">{label}</span>
    {children}
  </div>
);

interface Repeatable {
  query: { isFetching: boolean; refetch(): unknown };
}

/** Reads a query again. What it loads replaces the button, and the focus moves to the nearest remaining part of the page. */
export const TryAgain = ({ query, ...button }: Repeatable & ComponentProps<typeof Button>) => (
  <Button {...button} loading={query.isFetching} onClick={() => void keepFocus(query.refetch)}>
    Try again
  </Button>
);

interface LoadFailureProps extends Repeatable, Pick<ComponentProps<typeof EmptyState>, 'title' | 'heading'> {
  icon?: LucideIcon;
  text?: string;
}

export const LoadFailure = ({ query, icon = CircleAlert, text, ...state }: LoadFailureProps) => (
  <div role="alert">
    <EmptyState {...state} icon={icon} action={<TryAgain query={query} />}>
      {text}
    </EmptyState>
  </div>
);

export const LoadFailureBanner = ({ message, query }: Repeatable & { message: string }) => (
  <Callout role="alert" tone="danger" className="flex flex-wrap items-center justify-between gap-3">
    <p className="flex items-center gap-3 font-semibold">
      <CircleAlert aria-hidden className="size-5 shrink-0" />
      {message}
    </p>
    <TryAgain query={query} variant="danger" size="sm" />
  </Callout>
);

interface LoadMoreProps {
  list: Pick<UseInfiniteQueryResult, 'hasNextPage' | 'isFetchingNextPage' | 'isFetchNextPageError'> & {
    fetchNextPage(): unknown;
  };
  /** Plural of the entries, as in "The next reviews did not load." */
  of: string;
  label?: string | undefined;
}

/**
 * The button below a list that has another page. It also says when that page did not load, and after the last one that all
 * are shown, which then takes the focus of the button.
 */
export function LoadMore({ list, of, label = 'Load more' }: LoadMoreProps) {
  const end = useRef<HTMLParagraphElement>(null);
  const [isPressed, setIsPressed] = useState(false);
  const isAtEnd = isPressed && !list.hasNextPage;
  useEffect(() => {
    if (isAtEnd && document.activeElement === document.body) end.current?.focus({ preventScroll: true });
  }, [isAtEnd]);

  function press() {
    setIsPressed(true);
    list.fetchNextPage();
  }

  if (isAtEnd) {
    return (
      <p ref={end} tabIndex={-1} className="justify-self-center text-center text-sm text-muted">
        All {of} are shown.
      </p>
    );
  }
  return (
    list.hasNextPage && (
      <div className="grid justify-items-center gap-2">
        {list.isFetchNextPageError && (
          <p role="alert" className="text-sm text-danger">
            The next {of} did not load.
          </p>
        )}
        <Button variant="secondary" loading={list.isFetchingNextPage} onClick={press}>
          {label}
        </Button>
      </div>
    )
  );
}

/** A press that is answered within this time needs no sign of progress. */
const SLOW_MS = 150;

const slowLoads = new Set<Promise<unknown>>();
const listeners = new Set<() => void>();

function subscribe(listener: () => void) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function notify() {
  for (const listener of listeners) listener();
}

/** Whether code of a screen has been loading for longer than 150 ms. */
export const useIsLoadSlow = (): boolean => useSyncExternalStore(subscribe, () => slowLoads.size > 0);

export function watchLoad<T>(load: Promise<T>): Promise<T> {
  const timer = setTimeout(() => {
    slowLoads.add(load);
    notify();
  }, SLOW_MS);
  return load.finally(() => {
    clearTimeout(timer);
    if (slowLoads.delete(load)) notify();
  });
}
