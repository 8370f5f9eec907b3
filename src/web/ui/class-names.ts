export const classNames = (...names: (string | false | undefined | null)[]) => names.filter(Boolean).join(' ');
