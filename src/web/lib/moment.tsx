import { formatDay, formatMoment } from '../../shared/format.ts';

interface TimeProps {
  /** ISO 8601. */
  at: string;
  className?: string;
}

/** Date and time of day, in the reader's own time zone. */
export const Moment = ({ at, className }: TimeProps) => (
  <time dateTime={at} className={className}>
    {formatMoment(at)}
  </time>
);

/** Date in the reader's own time zone. */
export const Day = ({ at, className }: TimeProps) => (
  <time dateTime={at} className={className}>
    {formatDay(at)}
  </time>
);
