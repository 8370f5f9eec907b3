const V4_REST = '(?:\\.\\d+)';

// Hosts as the URL parser writes them: IPv4 in four decimal parts, whatever form it was typed in, and IPv6 in its short form.
const PRIVATE_HOSTS = [
  // IPv4: this host, private, loopback, shared by carriers, link-local, protocol assignments, benchmarks, multicast, reserved.
  `(?:0|10|127|22[4-9]|2[3-5]\\d)${V4_REST}{3}`,
  `172\\.(?:1[6-9]|2\\d|3[01])${V4_REST}{2}`,
  `(?:192\\.168|169\\.254|198\\.1[89])${V4_REST}{2}`,
  `100\\.(?:6[4-9]|[7-9]\\d|1[01]\\d|12[0-7])${V4_REST}{2}`,
  `192\\.0\\.0${V4_REST}`,
  // IPv6: all but 2000::/3, and of that the two ranges that carry an IPv4 address (6to4, Teredo).
  '\\[(?![23][\\da-f]{3}:).*',
  '\\[(?:2002:|2001::|2001:0:).*',
  // Names that only a local network resolves, and names without a dot.
  '(?:.*\\.)?(?:localhost|local|internal|localdomain|lan|home|corp|intranet|home\\.arpa)\\.?',
  '[^.[]+\\.?',
];

/** Matches the host of a URL that the whole internet can reach: not loopback, link-local, private or a local name. */
export const publicHost = new RegExp(`^(?!(?:${PRIVATE_HOSTS.join('|')})$).+$`);
