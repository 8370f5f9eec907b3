/** The first and the last byte of a part of a file, both included. */
export interface ByteRange {
  first: number;
  last: number;
}

/**
 * The part that a Range header asks for (RFC 9110, section 14). Undefined means the whole file: without the header, for
 * several parts at once, and for what is no range of bytes. `unsatisfiable` when the file ends before it.
 */
export function byteRangeOf(header: string | undefined, length: number): ByteRange | 'unsatisfiable' | undefined {
  const [, from = '', to = ''] = /^bytes=\s*(\d*)\s*-\s*(\d*)\s*$/i.exec(header ?? '') ?? [];
  if (from === '' && to === '') return undefined;
  if (from === '')
    return to.match(/^0+$/) ? 'unsatisfiable' : { first: Math.max(0, length - Number(to)), last: length - 1 };
  const first = Number(from);
  const last = to === '' ? length - 1 : Math.min(Number(to), length - 1);
  if (to !== '' && Number(to) < first) return undefined;
  return first < length ? { first, last } : 'unsatisfiable';
}
