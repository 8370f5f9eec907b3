import { isIP, SocketAddress } from 'node:net';

const DECORATED = /^(?:(\d+\.\d+\.\d+\.\d+):\d{1,5}|\[([^\]]+)\](?::\d{1,5})?)$/;
const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/;

/**
 * The IP address in a text as proxies write it: a port, brackets and a zone are dropped, IPv6 is written in its one short
 * form, and an IPv4 address mapped into IPv6 as IPv4. Undefined for anything else, e.g. `unknown` or `_hidden` (RFC 7239).
 */
export function parseIp(text: string): string | undefined {
  const [, v4, v6] = DECORATED.exec(text) ?? [];
  const address = v4 ?? v6 ?? text;
  const version = isIP(address);
  if (version === 0) return undefined;
  if (version === 4) return address;
  const short = new SocketAddress({ address, family: 'ipv6' }).address;
  return MAPPED.exec(short)?.[1] ?? short;
}
