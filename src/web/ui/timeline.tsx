import type { ReactNode } from 'react';

interface TimelineProps {
  steps: { at: string; text: string }[];
  /** Renders the time of a step. */
  moment(at: string): ReactNode;
}

/** Lists events with their times, in the given order. */
export const Timeline = ({ steps, moment }: TimelineProps) => (
  <ol className="grid gap-5 border-l-2 border-line pl-5 text-sm">
    {steps.map(({ at, text }) => (
      <li
        key={`${at} ${text}`}
        className="relative before:absolute before:top-1 before:-left-[1.6rem] before:size-2.5 before:rounded-full before:bg-accent">
        <p className="wrap-anywhere">{text}</p>
        <p className="text-muted">{moment(at)}</p>
      </li>
    ))}
  </ol>
);
