import { plural } from './format.ts';

/** Returns the file type in upper case, e.g. `PDF` for `Guide.pdf`; empty if the name has no extension. */
export const fileTypeOf = (name: string): string => /\.(\w{1,8})$/.exec(name)?.[1]?.toUpperCase() ?? '';

/** Formats a size, e.g. `3.4 MB`: units of 1,024, with one decimal below ten. */
export function formatBytes(bytes: number): string {
  if (bytes < 1_024) return `${bytes} ${plural(bytes, 'byte')}`;
  const inKilobytes = bytes / 1_024;
  const [amount, unit] = inKilobytes < 999.5 ? [inKilobytes, 'kB'] : [inKilobytes / 1_024, 'MB'];
  return `${amount < 9.95 ? Number(amount.toFixed(1)) : Math.round(amount)} ${unit}`;
}
