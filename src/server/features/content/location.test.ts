import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestShop, type TestShop } from '../../../../test/test-shop.ts';
import { locateVisitor } from './content.routes.ts';

const MALAYSIAN = '175.136.0.1';

/** A shop with these settings, and where it says that a visitor with some headers is. */
function shopWith(settings: Record<string, string>) {
  let shop: TestShop;
  beforeAll(async () => {
    shop = await startTestShop({ settings });
  });
  afterAll(() => shop.stop());
  return async (headers: Record<string, string>) => {
    const response = await fetch(`${shop.url}/api/location`, { headers });
    return { headers: response.headers, body: (await response.json()) as Record<string, unknown> };
  };
}

describe('without a proxy', () => {
  const ask = shopWith({});

  it('a visitor from the same machine has no location, whatever the headers', async () => {
    const { body, headers } = await ask({ 'x-forwarded-for': MALAYSIAN, 'cf-ipcountry': 'MY' });
    expect(body).toEqual({ success: true, country_code: '', country_name: '', ip: '127.0.0.1', city: '' });
    expect(headers.get('cache-control')).toBe('no-store');
  });
});

describe('behind a trusted proxy', () => {
  const ask = shopWith({ TRUST_PROXY: '1' });

  it('the forwarded address is looked up', async () => {
    expect((await ask({ 'x-forwarded-for': MALAYSIAN })).body).toEqual({
      success: true,
      country_code: 'MY',
      country_name: 'Malaysia',
      ip: MALAYSIAN,
      city: '',
    });
  });

  it('the location from the proxy takes precedence', async () => {
    const told = { 'x-forwarded-for': MALAYSIAN, 'cf-ipcountry': 'sg', 'cf-ipcity': 'Singapore' };
    expect((await ask(told)).body).toMatchObject({ country_code: 'SG', country_name: 'Singapore', city: 'Singapore' });
  });
});

describe('behind an untrusted proxy', () => {
  const ask = shopWith({ TRUST_PROXY: '10.0.0.0/8' });

  it('its headers are ignored', async () => {
    const { body } = await ask({ 'x-forwarded-for': MALAYSIAN, 'cf-ipcountry': 'MY' });
    expect(body).toMatchObject({ country_code: '', ip: '127.0.0.1' });
  });
});

const locate = (ip: string, proxyHeaders: Record<string, string> = {}) => locateVisitor({ ip, proxyHeaders });

it.each([
  [MALAYSIAN, 'MY', 'Malaysia'],
  ['2001:d08::1', 'MY', 'Malaysia'],
  ['8.8.8.8', 'US', 'United States'],
  ['2001:4860:4860::8888', 'US', 'United States'],
  ['81.2.69.142', 'GB', 'United Kingdom'],
  ['::ffff:133.1.1.1', 'JP', 'Japan'],
])('%s is in %s', async (ip, country_code, country_name) => {
  expect(await locate(ip)).toMatchObject({ country_code, country_name });
});

it.each([
  '127.0.0.1',
  '10.1.2.3',
  '192.168.1.1',
  '172.16.0.1',
  '100.64.0.1',
  '169.254.1.1',
  '::1',
  'fd00::1',
  'fe80::1',
  'unknown',
  '',
])('"%s" has no location', async (ip) => {
  expect(await locate(ip)).toEqual({ country_code: '', country_name: '', ip, city: '' });
});

it.each(['XX', 'T1', 'ZZ', 'QQ', 'Malaysia', '<b', ''])(
  'an invalid country "%s" from the proxy falls back to the IP address',
  async (header) => {
    expect(await locate(MALAYSIAN, { 'cf-ipcountry': header, 'cf-ipcity': 'Nowhere' })).toMatchObject({
      country_code: 'MY',
      city: '',
    });
  },
);

it.each([
  ['S%C3%A3o%20Paulo', 'São Paulo'],
  [Buffer.from('São Paulo').toString('latin1'), 'São Paulo'],
  ['100%', ''],
])('the city header %s is decoded as %s', async (header, city) => {
  expect(await locate('127.0.0.1', { 'x-vercel-ip-country': 'BR', 'x-vercel-ip-city': header })).toMatchObject({
    country_code: 'BR',
    city,
  });
});
