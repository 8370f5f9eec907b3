const V4_REST = '(?:\\.\\d+)';

// Hosts in the form that the URL parser normalises to: IPv4 in four decimal parts, IPv6 in its short form.
const PRIVATE_HOSTS = [
  // IPv4: this host, private, loopback, shared (CGNAT), link-local, protocol assignments, benchmarking, multicast,
  // reserved.
  `(?:0|10|127|22[4-9]|2[3-5]\\d)${V4_REST}{3}`,
  `172\\.(?:1[6-9]|2\\d|3[01])${V4_REST}{2}`,
  `(?:192\\.168|169\\.254|198\\.1[89])${V4_REST}{2}`,
  `100\\.(?:6[4-9]|[7-9]\\d|1[01]\\d|12[0-7])${V4_REST}{2}`,
  `192\\.0\\.0${V4_REST}`,
  // IPv6: everything outside 2000::/3, and the two ranges in it that embed an IPv4 address (6to4, Teredo).
  '\\[(?![23][\\da-f]{3}:).*',
  '\\[(?:2002:|2001::|2001:0:).*',
  // Host names that only a local network resolves, and host names without a dot.
  '(?:.*\\.)?(?:localhost|local|internal|localdomain|lan|home|corp|intranet|home\\.arpa)\\.?',
  '[^.[]+\\.?',
];

/** Matches the host of a public URL: no loopback, link-local or private address, and no local name. */
export const publicHost = new RegExp(`^(?!(?:${PRIVATE_HOSTS.join('|')})$).+$`);
