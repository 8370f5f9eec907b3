import { isIPv6 } from 'node:net';
import { parseIp } from '../ip-address.ts';

/** Under which addresses are counted: of IPv6 the /64, since whoever has one address there has all of them. */
export function networkOf(ip: string): string {
  const address = parseIp(ip) ?? ip;
  if (!isIPv6(address)) return address;
  const [before = [], after = []] = address.split('::').map((part) => part.split(':').filter(Boolean));
  const zeros = Array.from({ length: Math.max(0, 8 - before.length - after.length) }, () => '0');
  return `${[...before, ...zeros, ...after].slice(0, 4).join(':')}::/64`;
}
