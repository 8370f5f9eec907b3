const NUMBER_MAX_DIGITS = 19;
const CVC_MAX_DIGITS = 4;

export const digitsOf = (value: string) => value.replace(/\D/g, '');

/** `4242 4242 4242 4242` */
export function formatCardNumber(value: string): string {
  return digitsOf(value)
    .slice(0, NUMBER_MAX_DIGITS)
    .replace(/(.{4})(?=.)/g, '$1 ');
}

/** `12 / 34`; takes what browsers fill in too (`12/34`, `12/2034`). */
export function formatExpiry(value: string): string {
  let digits = digitsOf(value);
  if (/^[2-9]/.test(digits)) digits = `0${digits}`;
  const month = digits.slice(0, 2);
  const year = digits.length === 6 ? digits.slice(4) : digits.slice(2, 4);
  return year === '' ? month : `${month} / ${year}`;
}

export const formatCvc = (value: string) => digitsOf(value).slice(0, CVC_MAX_DIGITS);

/** Rewrites what was typed and leaves the caret behind the same digit. */
export function formatInPlace(input: HTMLInputElement, format: (value: string) => string): void {
  const caret = input.selectionStart ?? input.value.length;
  const atEnd = caret === input.value.length;
  const digitsBefore = digitsOf(input.value.slice(0, caret)).length;
  const formatted = format(input.value);
  if (formatted === input.value) return;
  input.value = formatted;
  if (atEnd) return;
  let position = 0;
  for (let seen = 0; seen < digitsBefore && position < formatted.length; position++) {
    if (/\d/.test(formatted.charAt(position))) seen++;
  }
  input.setSelectionRange(position, position);
}
