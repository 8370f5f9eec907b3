/** The value of a JSON text; undefined for a text that is none, and without one. */
export function tryParseJson(text: string | null): unknown {
  try {
    return text === null ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}
