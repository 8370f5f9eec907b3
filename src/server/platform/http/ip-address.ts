import type { IncomingMessage } from 'node:http';
import { BlockList, isIP, isIPv6, SocketAddress } from 'node:net';

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

const FORWARDED = 'x-forwarded-for';

/** As TRUST_PROXY gives it: how many proxies stand in front, or the addresses and ranges that they have. */
export type TrustedProxies = number | string[];

/**
 * Rewrites X-Forwarded-For to the one address that made the request, so that whatever reads `request.ip` afterwards gets an
 * IP address: the ports that some proxies write are dropped, and a client that is no IP address (`unknown`, an obfuscated
 * name, garbage) becomes the peer, whose limits it then shares. Without a trusted proxy the header is removed.
 */
export function createForwardedClient(proxies: TrustedProxies): (request: IncomingMessage) => void {
  const isTrusted = createIsTrusted(proxies);

  return ({ headers, socket }) => {
    const header = headers[FORWARDED];
    if (header === undefined) return;
    const peer = parseIp(socket.remoteAddress ?? '');
    if (!isTrusted(peer, 0)) {
      delete headers[FORWARDED];
      return;
    }
    // The nearest proxy has written the last entry; each entry further left was written by a proxy further away.
    const entries = String(header)
      .split(',')
      .map((entry) => entry.trim())
      .filter((entry) => entry !== '')
      .reverse()
      .map(parseIp);
    const hop = entries.findIndex((address, index) => !isTrusted(address, index + 1));
    const client = (hop === -1 ? entries.at(-1) : entries[hop]) ?? peer;
    if (client === undefined) delete headers[FORWARDED];
    else headers[FORWARDED] = client;
  };
}

/** Whether the address at this hop, 0 for the peer, is a proxy whose word about the next one counts. */
function createIsTrusted(proxies: TrustedProxies): (address: string | undefined, hop: number) => boolean {
  if (typeof proxies === 'number') return (_address, hop) => hop < proxies;
  const list = new BlockList();
  for (const proxy of proxies) {
    const [address = '', bits] = proxy.split('/');
    const family = isIPv6(address) ? 'ipv6' : 'ipv4';
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return (address) => address !== undefined && list.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
}
