// Common mail providers. A correction is suggested only for a domain that is one typo away from one of these.
const domains = (
  'gmail.com yahoo.com hotmail.com outlook.com icloud.com live.com msn.com aol.com proton.me protonmail.com ' +
  'yahoo.com.my yahoo.com.sg yahoo.co.uk hotmail.co.uk outlook.my googlemail.com me.com gmx.com gmx.de web.de ' +
  'mail.com email.com ymail.com fastmail.com rocketmail.com yahoo.com.mx qq.com 163.com yandex.com'
).split(' ');

/** Whether `typed` is `meant` with one letter added, missing, replaced, or two letters swapped. */
function isOneSlipFrom(meant: string, typed: string): boolean {
  let start = 0;
  while (start < typed.length && typed[start] === meant[start]) start++;
  const [rest, wanted] = [typed.slice(start), meant.slice(start)];
  return (
    rest.slice(1) === wanted ||
    rest === wanted.slice(1) ||
    rest.slice(1) === wanted.slice(1) ||
    (rest.slice(2) === wanted.slice(2) && rest[0] === wanted[1] && rest[1] === wanted[0])
  );
}

/** Returns the likely correction, `aminah@gmail.com` for `aminah@gmial.com`; undefined if the domain may be right. */
export function suggestEmail(typed: string): string | undefined {
  const at = typed.lastIndexOf('@');
  const domain = typed
    .slice(at + 1)
    .trim()
    .toLowerCase();
  if (at < 1 || domain.length < 5 || domains.includes(domain)) return undefined;
  const meant = domains.find((known) => known.length > 6 && isOneSlipFrom(known, domain));
  return meant && `${typed.slice(0, at).trim()}@${meant}`;
}
