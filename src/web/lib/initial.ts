/** Returns the first character of a name as a capital; an emoji is two units of a string. */
export const initialOf = (name: string): string => (Array.from(name.trim())[0] ?? '?').toUpperCase();
