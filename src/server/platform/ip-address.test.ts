import { describe, expect, it } from 'vitest';
import { parseIp } from './http/ip-address.ts';

describe('an IP address is read', () => {
  it.each([
    ['203.0.113.7', '203.0.113.7'],
    ['203.0.113.7:5678', '203.0.113.7'],
    ['2001:DB8:0:0::0001', '2001:db8::1'],
    ['[2001:db8::1]', '2001:db8::1'],
    ['[2001:db8::1]:443', '2001:db8::1'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['[::FFFF:cb00:7107]:80', '203.0.113.7'],
    ['fe80::1%eth0', 'fe80::1'],
  ])('from %s', (text, address) => {
    expect(parseIp(text)).toBe(address);
  });
});

describe('no IP address', () => {
  it.each([
    '',
    'unknown',
    '_hidden',
    'localhost',
    '203.0.113',
    '203.0.113.256',
    '203.0.113.07',
    '203.0.113.7:port',
    '203.0.113.7:123456',
    '203.0.113.7:1:2',
    '[203.0.113.7',
    '2001:db8:1:2:3:4:5:6:443',
    '2130706433',
    '0x7f.1',
    `${'1'.repeat(4_000)}.1.1.1`,
  ])('is in “%s”', (text) => {
    expect(parseIp(text)).toBeUndefined();
  });
});
