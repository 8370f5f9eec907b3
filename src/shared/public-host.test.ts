import { describe, expect, it } from 'vitest';
import { createPhysicalProductBody } from './products.ts';

const product = { name: 'A', description: '', brand: '', category: 'Games', price: 1, stock: 1, isActive: true };
const accepts = (image: string) => createPhysicalProductBody.safeParse({ ...product, image }).success;

describe('a picture URL is accepted:', () => {
  it.each([
    '/images/a.webp',
    'https://img.example/a.jpg',
    'https://img.example:8443/a.jpg',
    'https://8.8.8.8/a.jpg',
    'https://11.0.0.1/a.jpg',
    'https://172.32.0.1/a.jpg',
    'https://100.128.0.1/a.jpg',
    'https://[2606:4700::1111]/a.jpg',
    'https://localhost.example/a.jpg',
    'https://10.example/a.jpg',
    'https://internal.example/a.jpg',
  ])('%s', (image) => {
    expect(accepts(image)).toBe(true);
  });
});

describe('a picture URL is refused:', () => {
  it.each([
    'https://localhost/a.jpg',
    'https://LOCALHOST/a.jpg',
    'https://localhost./a.jpg',
    'https://shop.localhost/a.jpg',
    'https://printer.local/a.jpg',
    'https://metadata.google.internal/a.jpg',
    'https://router.lan/a.jpg',
    'https://nas.home.arpa/a.jpg',
    'https://intranet/a.jpg',
    'https://intranet./a.jpg',
    'https://user:pw@localhost:8443/a.jpg',
    'https://127.0.0.1/a.jpg',
    'https://127.0.0.1./a.jpg',
    'https://127.1/a.jpg',
    'https://2130706433/a.jpg',
    'https://0x7f000001/a.jpg',
    'https://0x7f.0.0.1/a.jpg',
    'https://0177.0.0.1/a.jpg',
    'https://%31%32%37.0.0.1/a.jpg',
    'https://①②⑦.0.0.1/a.jpg',
    'https://0/a.jpg',
    'https://10.1.2.3/a.jpg',
    'https://172.16.0.1/a.jpg',
    'https://172.31.255.255/a.jpg',
    'https://192.168.0.1/a.jpg',
    'https://169.254.169.254/latest/meta-data',
    'https://100.64.0.1/a.jpg',
    'https://192.0.0.8/a.jpg',
    'https://198.18.0.1/a.jpg',
    'https://224.0.0.1/a.jpg',
    'https://255.255.255.255/a.jpg',
    'https://[::1]/a.jpg',
    'https://[::]/a.jpg',
    'https://[0:0:0:0:0:0:0:1]/a.jpg',
    'https://[::ffff:127.0.0.1]/a.jpg',
    'https://[::ffff:7f00:1]/a.jpg',
    'https://[::127.0.0.1]/a.jpg',
    'https://[fe80::1]/a.jpg',
    'https://[fd00::1]/a.jpg',
    'https://[ff02::1]/a.jpg',
    'https://[64:ff9b::7f00:1]/a.jpg',
    'https://[2002:7f00:1::]/a.jpg',
    'https://[2001::7f00:1]/a.jpg',
    'http://img.example/a.jpg',
  ])('%s', (image) => {
    expect(accepts(image)).toBe(false);
  });
});
