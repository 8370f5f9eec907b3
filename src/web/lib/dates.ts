const day = new Intl.DateTimeFormat('en-MY', { dateStyle: 'long' });
const moment = new Intl.DateTimeFormat('en-MY', { dateStyle: 'medium', timeStyle: 'short' });

/** `21 November 2025`, in Malaysian English. */
export const formatDay = (timestamp: string) => day.format(new Date(timestamp));

/** `21 Nov 2025, 3:05 pm`, in Malaysian English. */
export const formatMoment = (timestamp: string) => moment.format(new Date(timestamp));
