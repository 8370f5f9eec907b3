/**
 * The query of the address with some of it changed; an empty value takes its name away. Of the address itself: what was
 * changed a moment ago may not be drawn yet, and would be taken back.
 */
export function addressWith(changes: Record<string, string>): URLSearchParams {
  const query = new URLSearchParams(window.location.search);
  for (const [name, value] of Object.entries(changes)) {
    if (value === '') query.delete(name);
    else query.set(name, value);
  }
  return query;
}
