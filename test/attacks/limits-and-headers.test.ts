import { connect, type Socket } from 'node:net';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { endpoints } from '../../src/shared/api.ts';
import { makeProduct, makeUser } from '../factories.ts';
import { createShopper } from '../shopper.ts';
import { newTokenOf } from '../signed-in.ts';
import { startTestShop, type TestShop } from '../test-shop.ts';

const MISSING = '01900000-0000-7000-8000-000000000000';
const INTENTS = '/api/digital-orders/guest/create-payment-intent';
const JSON_TYPE = { 'content-type': 'application/json' };

const key = Buffer.alloc(32, 7).toString('base64');
const production = {
  NODE_ENV: 'production',
  HOST: '127.0.0.1',
  PUBLIC_URL: 'https://shop.example',
  MASTER_KEYS: `m1:${key}`,
  JWT_KEYS: `j1:${key}`,
  TEST_MODE_PAYMENTS: 'allow',
};

let shops: Record<'plain' | 'production' | 'limited' | 'proxied', TestShop>;
beforeAll(async () => {
  shops = {
    plain: await startTestShop(),
    production: await startTestShop({ settings: production }),
    limited: await startTestShop({ settings: { RATE_LIMITS: 'on' } }),
    proxied: await startTestShop({ settings: { RATE_LIMITS: 'on', TRUST_PROXY: '1' } }),
  };
});
afterAll(() => Promise.all(Object.values(shops).map((shop) => shop.stop())));

async function builtFiles(shop: TestShop): Promise<string[]> {
  const html = await (await fetch(shop.url)).text();
  return html.match(/\/assets\/index-[\w-]+\.(?:js|css)/g) ?? [];
}

describe('the security headers are set on', () => {
  const answers: [string, string, RequestInit?][] = [
    ['the home page', '/'],
    ['another page', '/login'],
    ['a missing product’s page', `/digital-product/${MISSING}`],
    ['robots.txt', '/robots.txt'],
    ['the sitemap', '/sitemap.xml'],
    ['a missing file', '/assets/none.js'],
    ['an API call', '/api/shop'],
    ['a HEAD request', '/api/shop', { method: 'HEAD' }],
    ['the catalogue', '/api/digital-products'],
    ['a call without a token', '/api/auth/me'],
    ['an unknown endpoint', '/api/nothing'],
    ['a call with an unsupported method', '/api/shop', { method: 'PATCH' }],
    ['an OPTIONS request', '/api/shop', { method: 'OPTIONS' }],
    ['an invalid id', '/api/digital-products/x'],
    ['a URL that cannot be decoded', '/api/%zz'],
    ['an id that is too long', `/api/digital-products/${'x'.repeat(5_000)}`],
    ['a body that is not JSON', INTENTS, { method: 'POST', headers: JSON_TYPE, body: '{' }],
    ['a body of an unknown media type', INTENTS, { method: 'POST', headers: { 'content-type': 'a/b' }, body: 'x' }],
    ['a body that is too large', INTENTS, { method: 'POST', headers: JSON_TYPE, body: ' '.repeat(300_000) }],
    ['an unsigned webhook event', '/api/webhooks/stripe', { method: 'POST', body: '{}' }],
    ['the test-mode payment API', '/test-mode/v1/payment_intents/x'],
  ];

  function expectProtected(headers: Headers, transport: string | null): void {
    const policy = headers.get('content-security-policy') ?? '';
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toMatch(/unsafe-|script-src[^;]*(\*|data:|https:(\s|;|$))/);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('referrer-policy')).toBe('strict-origin-when-cross-origin');
    expect(headers.get('strict-transport-security')).toBe(transport);
    expect(headers.get('cache-control')).not.toBeNull();
    expect(headers.get('server')).toBeNull();
    expect(headers.get('x-powered-by')).toBeNull();
  }

  const strict = 'max-age=31536000; includeSubDomains';
  const shopsAndTransport = () => [[shops.plain, null] as const, [shops.production, strict] as const];
  it.each(answers)('%s', async (_name, path, init) => {
    for (const [shop, transport] of shopsAndTransport()) {
      expectProtected((await fetch(`${shop.url}${path}`, init)).headers, transport);
    }
  });

  it('the API documentation and its scripts', async () => {
    const home = (await fetch(shops.plain.url)).headers.get('content-security-policy');
    for (const path of ['/api/docs', '/api/docs/', '/api/docs/json', '/api/docs/static/swagger-ui-bundle.js']) {
      const { status, headers } = await fetch(`${shops.plain.url}${path}`);
      expect([path, status]).toEqual([path, 200]);
      expectProtected(headers, null);
      expect(headers.get('content-security-policy')).toBe(home);
    }
  });

  it('a script, a stylesheet and a 304 response', async () => {
    const files = await builtFiles(shops.plain);
    expect(files.length).toBeGreaterThanOrEqual(2);
    for (const path of files) expectProtected((await fetch(`${shops.plain.url}${path}`)).headers, null);
    const url = `${shops.plain.url}/api/digital-products`;
    const etag = (await fetch(url)).headers.get('etag') ?? '';
    const again = await fetch(url, { headers: { 'if-none-match': etag } });
    expect(again.status).toBe(304);
    expectProtected(again.headers, null);
  });

  it.each([
    ['not a request', 'hello\r\n\r\n', 400],
    ['two lengths of a body', 'POST / HTTP/1.1\r\nHost: shop\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx', 400],
    ['no Host header', 'GET / HTTP/1.1\r\nConnection: close\r\n\r\n', 400],
    ['two Host headers', 'GET / HTTP/1.1\r\nHost: shop\r\nhost: other\r\nConnection: close\r\n\r\n', 400],
    ['an unknown Expect header', 'GET / HTTP/1.1\r\nHost: shop\r\nExpect: cake\r\nConnection: close\r\n\r\n', 417],
    ['headers that are too large', `GET / HTTP/1.1\r\nHost: shop\r\nCookie: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
  ])('the response to malformed HTTP: %s', async (_name, bytes, status) => {
    for (const [shop, transport] of shopsAndTransport()) {
      const [head = '', body = ''] = (await sendBytes(shop, bytes)).split('\r\n\r\n');
      const [statusLine = '', ...lines] = head.split('\r\n');
      expect(statusLine).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
      const headers = new Headers(lines.map((line) => line.split(/: (.*)/).slice(0, 2) as [string, string]));
      expectProtected(headers, transport);
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('content-length')).toBe(String(body.length));
      expect(JSON.parse(body)).toEqual({
        success: false,
        code: 'VALIDATION_FAILED',
        message: 'The request could not be read',
        requestId: expect.any(String),
      });
    }
  });

  function sendBytes({ url }: TestShop, bytes: string): Promise<string> {
    return new Promise((resolve, reject) => {
      let answer = '';
      const socket = connect(Number(new URL(url).port), '127.0.0.1', () => socket.write(bytes));
      socket.setEncoding('utf8').on('data', (part: string) => {
        answer += part;
      });
      socket.on('close', () => resolve(answer)).on('error', reject);
    });
  }

  it('a 429 response, which is also no-store', async () => {
    const shopper = createShopper(shops.limited.url);
    const guess = () => shopper.post('/api/auth/login', { email: 'a@example.com', password: 'wrong' });
    for (let count = 0; count < 10; count += 1) await guess();
    const { status, headers } = await guess();
    expect(status).toBe(429);
    expect(headers.get('cache-control')).toBe('no-store');
    expectProtected(headers, null);
  });
});

describe('every personal endpoint answers with Cache-Control: no-store', () => {
  const personal = endpoints
    .map((endpoint) => [endpoint.name, endpoint] as const)
    .filter(([, { access, method, personal }]) => access !== 'public' || method !== 'GET' || personal);
  it.each(personal)('%s', async (_name, { method, path, access }) => {
    const { deps, url } = shops.plain;
    const user = await makeUser(deps, { role: access === 'admin' ? 'admin' : 'customer' });
    const token = await newTokenOf(deps, user);
    for (const bearer of [token, undefined]) {
      const shopper = createShopper(url);
      shopper.setToken(bearer);
      const address = `/api${path.replaceAll(/:\w+/g, MISSING)}`;
      const { headers } = await shopper.send(method, address, method === 'GET' ? undefined : {});
      expect(headers.get('cache-control')).toBe('no-store');
    }
  });
});

it('responses with a payment, a token or a key are no-store', async () => {
  const product = await makeProduct(shops.plain.deps, { items: 1 });
  const cart = [{ product, quantity: 1 }];
  const guest = { email: 'no-store@example.com', password: 'hunter2-hunter2' };
  const buyer = createShopper(shops.plain.url);
  const opened = await buyer.openPayment(cart, guest);
  await buyer.confirmCard(opened.body.clientSecret ?? '');
  const placed = await buyer.placeOrder(cart, opened.body.clientSecret ?? '', guest);
  const signedIn = await buyer.signIn(guest.email, guest.password);
  const items = await buyer.get(`/api/digital-orders/${opened.body.orderId}/items`);
  expect(JSON.stringify(items.body)).toContain(product.keys[0]);
  for (const { status, headers } of [opened, placed, signedIn, items]) {
    expect([200, 201]).toContain(status);
    expect(headers.get('cache-control')).toBe('no-store');
  }
});

it.each(['GET', 'POST', 'OPTIONS'])('a page of another origin cannot read a response to %s', async (method) => {
  for (const path of ['/api/shop', '/api/auth/me', '/api/digital-orders/guest/checkout', '/']) {
    const headers = {
      origin: 'https://evil.example',
      cookie: `checkout=${MISSING}.${'x'.repeat(43)}`,
      authorization: 'Bearer e30.e30.e30',
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization,content-type',
    };
    const answer = await fetch(`${shops.plain.url}${path}`, { method, headers });
    const allowed = [...answer.headers.keys()].filter((name) => name.startsWith('access-control-'));
    expect([path, allowed]).toEqual([path, []]);
  }
});

describe('an error response reveals no internals after', () => {
  const INSIDE = /\bat .+:\d+|\.ts\b|node_modules|stack|select |insert |relation|column|pg_|postgres|fastify|kysely/i;

  it.each<[string, string, string?]>([
    ['a URL that cannot be decoded', '/api/%zz'],
    ['an id that is too long', `/api/digital-products/${'x'.repeat(5_000)}`],
    ['a number out of range', '/api/digital-products?limit=1e400'],
    ['an unknown endpoint', '/api/nothing'],
    ['a truncated body', INTENTS, '{"orderItems":'],
    ['a __proto__ field', INTENTS, '{"__proto__":{"role":"admin"}}'],
    ['a constructor field', INTENTS, '{"constructor":{"prototype":{"role":"admin"}}}'],
    ['a query object in place of a string', '/api/auth/login', '{"email":{"$ne":null},"password":["x"]}'],
  ])('%s', async (_name, path, body) => {
    const answer = await fetch(`${shops.plain.url}${path}`, {
      ...(body !== undefined && { method: 'POST', headers: JSON_TYPE, body }),
    });
    const text = await answer.text();
    expect([400, 404]).toContain(answer.status);
    expect(JSON.parse(text)).toMatchObject({ success: false, requestId: expect.any(String) });
    expect(text).not.toMatch(INSIDE);
  });

  it('an internal error', async () => {
    const { deps, url } = shops.plain;
    await sql`ALTER TABLE products RENAME TO misplaced`.execute(deps.db);
    const answer = await fetch(`${url}/api/digital-products?q=never-asked-before`);
    await sql`ALTER TABLE misplaced RENAME TO products`.execute(deps.db);
    expect(answer.status).toBe(500);
    expect(await answer.json()).toEqual({
      success: false,
      code: 'INTERNAL',
      message: 'Something went wrong on our side. Please try again.',
      requestId: expect.any(String),
    });
  });
});

describe('the shop answers 404 for', () => {
  it.each([
    '/.git',
    '/.git/config',
    '/%2egit/config',
    '/.env',
    '/.env.production',
    '/assets/.env',
    '/assets/..%2f..%2fpackage.json',
    '/..%2f..%2fpackage.json',
    '/share.png/x.js',
    '//package.json',
    '/%5c..%5cpackage.json',
    '/assets/x%00.js',
    '/package.json',
    '/src/server/main.ts',
    '/secrets.json',
    '/.vite/manifest.json',
    '/metrics',
    '/metrics/',
    '/metrics?format=text',
    '/api',
    '/api/metrics',
    '/wp-login.php',
  ])('%s', async (path) => {
    const answer = await fetch(`${shops.plain.url}${path}`);
    expect(answer.status).toBe(404);
    expect(await answer.json()).toMatchObject({ code: 'NOT_FOUND' });
  });

  it('a file name of 5,000 characters', async () => {
    expect((await fetch(`${shops.plain.url}/${'x'.repeat(5_000)}.js`)).status).toBe(404);
  });

  it('a source map', async () => {
    for (const path of await builtFiles(shops.plain)) {
      const url = `${shops.plain.url}${path}`;
      expect((await fetch(`${url}.map`)).status).toBe(404);
      expect(await (await fetch(url)).text()).not.toContain('sourceMappingURL');
    }
  });
});

describe('a client that varies its IP address', () => {
  const guess = (shop: TestShop, forwarded: string) =>
    createShopper(shop.url, { from: forwarded }).post('/api/auth/login', {
      email: 'guessed-at@example.com',
      password: 'wrong',
    });
  const statuses = async (shop: TestShop, forwardedOf: (index: number) => string) => {
    const seen: number[] = [];
    for (let index = 0; index < 12; index += 1) seen.push((await guess(shop, forwardedOf(index))).status);
    return seen;
  };
  const refusedAfterTen = [...Array(10).fill(401), 429, 429];

  it('in X-Forwarded-For counts as one client if no proxy is trusted', async () => {
    expect(await statuses(shops.limited, (index) => `203.0.113.${index}`)).toEqual(refusedAfterTen);
  });

  it('in the first part of X-Forwarded-For counts as one client behind a trusted proxy', async () => {
    expect(await statuses(shops.proxied, (index) => `203.0.113.${index}, 198.51.100.7`)).toEqual(refusedAfterTen);
  });

  it('within an IPv6 /64 counts as one client', async () => {
    expect(await statuses(shops.proxied, (index) => `2001:db8:1:2::${index + 1}`)).toEqual(refusedAfterTen);
    expect((await guess(shops.proxied, '2001:db8:1:3::1')).status).toBe(401);
  });

  it('within an IPv6 /48 counts as ten clients', async () => {
    const lookUp = async (from: string) => {
      const order = { email: 'looked-up@example.com', orderNumber: '00000000' };
      return (await createShopper(shops.proxied.url, { from }).post('/api/order-lookup/guest', order)).status;
    };
    for (let index = 0; index < 100; index += 1) expect(await lookUp(`2001:db8:5:${index}::1`)).toBe(200);
    expect(await lookUp('2001:db8:5:ffff::1')).toBe(429);
    expect(await lookUp('2001:db8:6::1')).toBe(200);
  });

  it('by the port that a proxy appends counts as one client', async () => {
    expect(await statuses(shops.proxied, (index) => `192.0.2.7:${5_000 + index}`)).toEqual(refusedAfterTen);
    expect((await guess(shops.proxied, '192.0.2.7')).status).toBe(429);
    const bracketed = await statuses(shops.proxied, (index) => `[2001:db8:1:4::${index}]:${5_000 + index}`);
    expect(bracketed).toEqual(refusedAfterTen);
  });

  it('by another spelling of the same address counts as one client', async () => {
    const spellings = ['2001:db8:a::1', '2001:DB8:A::1', '2001:0db8:000a:0:0:0:0:1', '[2001:db8:a:0::1]:80'];
    expect(await statuses(shops.proxied, (index) => spellings[index % 4] ?? '')).toEqual(refusedAfterTen);
  });

  it('with values that are not addresses counts as the proxy', async () => {
    const nowhere = ['unknown', '_hidden', 'x'.repeat(4_000), '999.1.1.1', '6.6.6.6, unknown'];
    expect(await statuses(shops.proxied, (index) => `${nowhere[index % 5]}${index < 5 ? '' : index}`)).toEqual(
      refusedAfterTen,
    );
  });
});

it('RATE_LIMITS=off disables the login limit', async () => {
  const shopper = createShopper(shops.plain.url);
  for (let count = 0; count < 12; count += 1) {
    const guess = await shopper.post('/api/auth/login', { email: 'a@example.com', password: 'wrong' });
    expect(guess.status).toBe(401);
  }
});

describe('an oversized or endless request', () => {
  const post = (body: BodyInit, init: object = {}) =>
    fetch(`${shops.plain.url}${INTENTS}`, { method: 'POST', headers: JSON_TYPE, body, ...init });
  const guest = '"guestEmail":"a@example.com","guestName":"A"';
  const item = `{"product":"${MISSING}","name":"x","quantity":1,"price":1}`;

  it.each<[string, string, number]>([
    ['ten megabytes', `{${guest},"orderItems":["${'x'.repeat(10_000_000)}"]}`, 413],
    ['100,000 items', `{${guest},"orderItems":[${Array(100_000).fill(item)}]}`, 413],
    ['100,000 items of one character', `{${guest},"orderItems":[${Array(100_000).fill(1)}]}`, 400],
    ['100,000 nested arrays', `{${guest},"orderItems":${'['.repeat(1e5)}${']'.repeat(1e5)}}`, 400],
    ['40,000 nested objects', `${'{"a":'.repeat(40_000)}1${'}'.repeat(40_000)}`, 400],
    ['an email of 240,000 characters', `{"guestEmail":"${'a@a.'.repeat(60_000)}"}`, 400],
  ])('is refused: %s', async (_name, body, status) => {
    expect((await post(body)).status).toBe(status);
  });

  it('is refused even without a Content-Length', async () => {
    const endless = new ReadableStream({ pull: (controller) => controller.enqueue(Buffer.alloc(64 * 1024, ' ')) });
    const answer = await post(endless, { duplex: 'half' }).catch((error: unknown) => error);
    // The socket may be closed before the sender has read the answer.
    expect(answer instanceof Response ? answer.status : answer).toEqual(
      answer instanceof Response ? 413 : expect.any(TypeError),
    );
  });

  it('that never ends does not block other shoppers', async () => {
    const { port } = new URL(shops.plain.url);
    const beginnings = [
      'GET /api/shop HTTP/1.1\r\nHost: shop\r\nX-Slow: ',
      `POST ${INTENTS} HTTP/1.1\r\nHost: shop\r\nContent-Type: application/json\r\nContent-Length: 900\r\n\r\n{`,
    ];
    const sockets = await Promise.all(
      Array.from({ length: 400 }, (_, index) => begin(Number(port), beginnings[index % 2] ?? '')),
    );
    try {
      const product = await makeProduct(shops.plain.deps);
      const shopper = createShopper(shops.plain.url);
      expect((await shopper.get('/api/digital-products')).status).toBe(200);
      const opened = await shopper.openPayment([{ product, quantity: 1 }], { email: 'patient@example.com' });
      expect(opened.status).toBe(200);
    } finally {
      for (const socket of sockets) socket.destroy();
    }
  });

  function begin(port: number, text: string): Promise<Socket> {
    return new Promise((resolve, reject) => {
      const socket = connect(port, '127.0.0.1', () => socket.write(text, () => resolve(socket)));
      socket.on('error', reject);
    });
  }
});
