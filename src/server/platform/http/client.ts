import type { IncomingMessage } from 'node:http';
import { BlockList, isIP, isIPv6, SocketAddress } from 'node:net';
// Declares `parseCookie` of Fastify.
import type {} from '@fastify/cookie';
import type { FastifyRequest } from 'fastify';
import * as z from 'zod/mini';
import type { Role } from '../../../shared/accounts.ts';
import { AppError } from '../../../shared/errors.ts';
import { NO_SESSION, SESSION_EXPIRED } from '../../../shared/session-messages.ts';

/** The sender of a request, for sessions and the audit log. */
export type Client = { ip: string; userAgent: string };

const MAX_USER_AGENT = 300;

export const clientOf = (request: FastifyRequest): Client => ({
  ip: request.ip,
  userAgent: (request.headers['user-agent'] ?? '').slice(0, MAX_USER_AGENT),
});

/** Parses a cookie of the form `{id}.{secret}` or `{id}.{secret}.{mark}`; undefined for any other value. */
export function readSecretCookie(request: FastifyRequest, name: string) {
  const value = readCookie(request, name);
  const [, id = '', secret = '', mark] = /^([0-9a-f-]{36})\.([\w-]{43})(?:\.([a-z]+))?$/.exec(value) ?? [];
  return z.uuid().safeParse(id).success ? { id, secret, mark } : undefined;
}

/** Returns the value of a cookie that is a random token; undefined for any other value. */
export function readTokenCookie(request: FastifyRequest, name: string): string | undefined {
  const value = readCookie(request, name);
  return /^[\w-]{43}$/.test(value) ? value : undefined;
}

const readCookie = (request: FastifyRequest, name: string): string =>
  request.server.parseCookie(request.headers.cookie ?? '')[name] ?? '';

/** The signed-in user of a request, as read from the database for this request. */
export interface Viewer {
  userId: string;
  sessionId: string;
  /** When the password or a two-factor code was last entered in the session. */
  authenticatedAt: Date;
  role: Role;
  email: string;
  name: string;
  phone: string;
}

/**
 * The author of a change, as the audit log records it. A command has no user. `sessionId` is the administrator's
 * session, which must still be live when the change is recorded (writeAudit).
 */
export type Actor = { userId: string | null; name: string; ip: string; sessionId?: string };

/** Finds the live session behind a bearer token; throws UNAUTHENTICATED. */
export type Authenticate = (bearerToken: string) => Promise<Viewer>;

/** The bearer token of the Authorization header, the only place where a token is accepted. */
export function bearerToken(authorization: string | undefined): string {
  const match = /^Bearer ([\w.-]+)$/i.exec(authorization ?? '');
  if (!match?.[1]) throw new AppError('UNAUTHENTICATED', NO_SESSION);
  return match[1];
}

export const sessionExpired = () => new AppError('UNAUTHENTICATED', SESSION_EXPIRED);

export const accessDenied = () => new AppError('FORBIDDEN', 'Access denied. Administrator privileges required.');

const DECORATED = /^(?:(\d+\.\d+\.\d+\.\d+):\d{1,5}|\[([^\]]+)\](?::\d{1,5})?)$/;
const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/;

/**
 * Parses an IP address as proxies write it: without port, brackets and zone, IPv6 in short form, mapped IPv4 as IPv4.
 * Undefined for anything else, e.g. `unknown` or `_hidden` (RFC 7239).
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

/** Returns the network by which an address is counted: for IPv6 the /64, all of which one host can use. */
export const networkOf = (ip: string): string => prefixOf(parseIp(ip) ?? ip, 64);

/** Returns a wider network as PostgreSQL's cidr: for IPv6 a provider's customer's /48, for IPv4 the address. */
export const wideNetworkOf = (ip: string): string => prefixOf(parseIp(ip) ?? ip, 48);

function prefixOf(address: string, bits: 48 | 64): string {
  if (!isIPv6(address)) return address;
  const [before = [], after = []] = address.split('::').map((part) => part.split(':').filter(Boolean));
  const zeros = Array.from({ length: Math.max(0, 8 - before.length - after.length) }, () => '0');
  return `${[...before, ...zeros, ...after].slice(0, bits / 16).join(':')}::/${bits}`;
}

const FORWARDED = 'x-forwarded-for';

/** As in TRUST_PROXY: the number of proxies in front, or their addresses and ranges. */
export type TrustedProxies = number | string[];

/**
 * Returns a function that rewrites X-Forwarded-For to the single address of the client, so that `request.ip` is always
 * an IP address. A client whose entry is not an address (`unknown`, garbage) gets the address of the peer, and shares
 * its rate limits. If the peer is not a trusted proxy, the header is removed.
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
    // The nearest proxy wrote the last entry; each entry to the left was written by a proxy further away.
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

/** Returns a function that tells whether the address at a hop (0 is the peer) is a trusted proxy. */
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
