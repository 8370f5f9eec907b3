/** `PDF` of `Guide.pdf`; nothing of a name without an ending. */
export const fileTypeOf = (name: string): string => /\.(\w{1,8})$/.exec(name)?.[1]?.toUpperCase() ?? '';

/** `3.4 MB`, in steps of 1,024 and with one decimal below ten. */
export function formatBytes(bytes: number): string {
  if (bytes < 1_024) return bytes === 1 ? '1 byte' : `${bytes} bytes`;
  const inKilobytes = bytes / 1_024;
  const [amount, unit] = inKilobytes < 999.5 ? [inKilobytes, 'kB'] : [inKilobytes / 1_024, 'MB'];
  return `${amount < 9.95 ? Number(amount.toFixed(1)) : Math.round(amount)} ${unit}`;
}
