import type { IncomingMessage } from 'node:http';
import { BlockList, isIPv6 } from 'node:net';
import { parseIp } from '../ip-address.ts';

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
