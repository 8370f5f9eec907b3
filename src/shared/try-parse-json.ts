/** Parses JSON; returns undefined for null and for text that is not JSON. */
export function tryParseJson(text: string | null): unknown {
  try {
    return text === null ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}
