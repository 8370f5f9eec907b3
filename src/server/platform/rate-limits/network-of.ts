import { isIPv6 } from 'node:net';
import { parseIp } from '../ip-address.ts';

/** Under which addresses are counted: of IPv6 the /64, since whoever has one address there has all of them. */
export function networkOf(ip: string): string {
  return prefixOf(parseIp(ip) ?? ip, 64);
}

/**
 * The network around that: of IPv6 the /48 that one customer of a provider is given, of IPv4 the address alone. Both are
 * written as PostgreSQL's cidr reads them.
 */
export function wideNetworkOf(ip: string): string {
  return prefixOf(parseIp(ip) ?? ip, 48);
}

function prefixOf(address: string, bits: 48 | 64): string {
  if (!isIPv6(address)) return address;
  const [before = [], after = []] = address.split('::').map((part) => part.split(':').filter(Boolean));
  const zeros = Array.from({ length: Math.max(0, 8 - before.length - after.length) }, () => '0');
  return `${[...before, ...zeros, ...after].slice(0, bits / 16).join(':')}::/${bits}`;
}
