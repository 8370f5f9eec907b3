import Fastify from 'fastify';
import { afterEach, describe, expect, it } from 'vitest';
import { createForwardedClient, type TrustedProxies } from './client.ts';

const opened: { close(): Promise<unknown> }[] = [];
afterEach(() => Promise.all(opened.splice(0).map((app) => app.close())));

/** Returns what a shop behind these proxies takes for the client's address. */
async function seenIp(proxies: TrustedProxies, forwarded: string | undefined, peer = '10.0.0.1') {
  const app = Fastify({ trustProxy: (_address, hop) => hop === 0 });
  opened.push(app);
  const useForwardedClient = createForwardedClient(proxies);
  app.addHook('onRequest', async (request) => useForwardedClient(request.raw));
  app.get('/', async (request) => ({ ip: request.ip }));
  const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded };
  return (await app.inject({ url: '/', headers, remoteAddress: peer })).json().ip;
}

describe('with the number of proxies in TRUST_PROXY,', () => {
  it.each<[number, string | undefined, string]>([
    [1, undefined, '10.0.0.1'],
    [1, '203.0.113.7', '203.0.113.7'],
    [1, '203.0.113.7:5678', '203.0.113.7'],
    [1, '[2001:DB8::1]:80', '2001:db8::1'],
    [1, '6.6.6.6, 203.0.113.7:5678', '203.0.113.7'],
    [2, '6.6.6.6, 203.0.113.7:5678, 10.0.0.2:443', '203.0.113.7'],
    [2, '203.0.113.7:5678,,10.0.0.2:443', '203.0.113.7'],
    [3, '203.0.113.7:1, [fd00::2]:2, 10.0.0.2:3', '203.0.113.7'],
    // Fewer entries than proxies: the client called the farthest proxy directly.
    [3, '203.0.113.7:5678', '203.0.113.7'],
    [2, '6.6.6.6, unknown, 10.0.0.2:443', '10.0.0.1'],
    [1, 'unknown', '10.0.0.1'],
    [1, '_hidden', '10.0.0.1'],
    [1, ' , ', '10.0.0.1'],
    [1, '6.6.6.6, unknown', '10.0.0.1'],
  ])('%i, the client of “%s” is %s', async (proxies, forwarded, ip) => {
    expect(await seenIp(proxies, forwarded)).toBe(ip);
  });
});

describe('with the proxies named in TRUST_PROXY,', () => {
  const proxies = ['10.0.0.0/8', 'fd00::/8', '192.0.2.1'];
  it.each<[string | undefined, string]>([
    [undefined, '10.0.0.1'],
    ['203.0.113.7:5678', '203.0.113.7'],
    ['6.6.6.6, 203.0.113.7:5678, 10.0.0.2:443, [fd00::2]:80, 192.0.2.1:1', '203.0.113.7'],
    ['10.0.0.9:5678, 10.0.0.2:443', '10.0.0.9'],
    ['6.6.6.6, unknown, 10.0.0.2:443', '10.0.0.1'],
    ['_hidden', '10.0.0.1'],
  ])('the client of “%s” is %s', async (forwarded, ip) => {
    expect(await seenIp(proxies, forwarded)).toBe(ip);
  });

  it('an untrusted peer is the client, regardless of its header', async () => {
    expect(await seenIp(proxies, '203.0.113.7', '198.51.100.1')).toBe('198.51.100.1');
  });

  it('a peer with an IPv4-mapped IPv6 address is trusted by its IPv4 address', async () => {
    expect(await seenIp(proxies, '203.0.113.7', '::ffff:10.0.0.1')).toBe('203.0.113.7');
  });
});
