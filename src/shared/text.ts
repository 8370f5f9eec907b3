import * as z from 'zod/mini';

// PostgreSQL cannot store NUL, and a lone surrogate has no UTF-8. Rejected here, so that the error names the field.
const storable = (value: string) => !value.includes('\u0000') && value.isWellFormed();

// No later check sees a longer text: to compose 60,000 accents of one letter takes seconds.
const maxLength = (max: number) =>
  z.maxLength(max, { error: `Please enter at most ${max.toLocaleString('en')} characters`, abort: true });

/** Text that may have several lines, trimmed, of at most `max` UTF-16 code units. */
export const text = (max: number) =>
  z.string().check(z.trim(), maxLength(max), z.refine(storable, 'contains a character that cannot be stored'));

// The description of the call has the pattern, too: it allows what is trimmed.
const oneLine = /^\s*[^\r\n\u2028\u2029]*\s*$/;

/** Text of one line, trimmed. A line break could otherwise inject a mail header or a log line. */
export const line = (max: number) => text(max).check(z.regex(oneLine, 'must be a single line'));

// A braille blank is a symbol to Unicode.
export const isVisible = (value: string) => /[^\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/u.test(value);
// The length stands in the description of the call, which cannot say what is visible.
const required = [
  z.minLength(1, { error: 'is required', abort: true }),
  z.refine<string>(isVisible, 'is required'),
] as const;

export const requiredText = (max: number) => text(max).check(...required);
export const requiredLine = (max: number) => line(max).check(...required);

/** In lower case, as PostgreSQL prints it: ciphertexts are bound to ids as text, so upper case would not decrypt. */
export const id = z.uuid('must be an id').check(z.toLowerCase());
export const idParams = z.object({ id });

/** Id of what a form makes, chosen once by the form: sending the form twice makes it once. */
export const draft = z.optional(id);

/** An e-mail address, trimmed and in lower case, because it identifies an account (docs/security.md). */
export const email = z.string().check(z.trim(), z.toLowerCase(), maxLength(254), z.email('must be an email address'));

/** Some keyboards and file names have an accent as a character of its own; texts and searches have both as one. */
export const composed = z.normalize('NFC');
export const searchedLine = (max: number) => requiredLine(max).check(composed);

export const personName = searchedLine(100);
export const phone = line(40);

/** Money in the API: dollars of USD with two decimals. The server calculates in integer cents. */
export const dollars = z.number();

/** A time as an ISO 8601 string with time zone. */
export const timestamp = z.iso.datetime({ offset: true });

const V4_REST = '(?:\\.\\d+)';

// Hosts in the form that the URL parser normalises to: IPv4 in four decimal parts, IPv6 in its short form.
const PRIVATE_HOSTS = [
  // IPv4: this host, private, loopback, CGNAT, link-local, protocol assignments, benchmarking, multicast, reserved.
  `(?:0|10|127|22[4-9]|2[3-5]\\d)${V4_REST}{3}`,
  `172\\.(?:1[6-9]|2\\d|3[01])${V4_REST}{2}`,
  `(?:192\\.168|169\\.254|198\\.1[89])${V4_REST}{2}`,
  `100\\.(?:6[4-9]|[7-9]\\d|1[01]\\d|12[0-7])${V4_REST}{2}`,
  `192\\.0\\.0${V4_REST}`,
  // IPv6: everything outside 2000::/3, and the two ranges in it that embed an IPv4 address (6to4, Teredo).
  '\\[(?![23][\\da-f]{3}:).*',
  '\\[(?:2002:|2001::|2001:0:).*',
  // Host names that only a local network resolves, and host names without a dot.
  '(?:.*\\.)?(?:localhost|local|internal|localdomain|lan|home|corp|intranet|svc|home\\.arpa)\\.?',
  '[^.[]+\\.?',
];

/** Matches the host of a public URL: no loopback, link-local or private address, and no local name. */
export const publicHost = new RegExp(`^(?!(?:${PRIVATE_HOSTS.join('|')})$).+$`);
