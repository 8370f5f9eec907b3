import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { defaultShippingZones } from '../shared/shipping.ts';
import { readConfig } from './config.ts';
import { ConfigError } from './platform/system-errors.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'kedai-config-'));
afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

const key = (id: string, byte: number) => `${id}:${Buffer.alloc(32, byte).toString('base64')}`;
const read = (env: Record<string, string>) => readConfig({ DATA_DIR: dataDir, ...env });

const production = {
  NODE_ENV: 'production',
  DATABASE_URL: 'postgres://shop:secret@db:5432/shop',
  PUBLIC_URL: 'https://shop.example',
  MASTER_KEYS: key('m1', 1),
  JWT_KEYS: key('j1', 2),
  STRIPE_SECRET_KEY: 'sk_live_abc',
  STRIPE_PUBLISHABLE_KEY: 'pk_live_abc',
  STRIPE_WEBHOOK_SECRET: 'whsec_abc',
};

function without(name: keyof typeof production): Record<string, string> {
  const { [name]: _, ...rest } = production;
  return rest;
}

function problemWith(env: Record<string, string>): string {
  try {
    read(env);
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  return 'none';
}

describe('outside production', () => {
  test('no setting is required', () => {
    expect(read({})).toMatchObject({
      production: false,
      port: 3000,
      host: '127.0.0.1',
      databaseUrl: undefined,
      storeName: 'Kedai',
      contact: { address: '12 Jalan Contoh, 50000 Kuala Lumpur', phone: '+60 3-5550 0100', email: 'hello@kedai.test' },
      publicUrl: 'http://localhost:3000',
      stripe: undefined,
      smtpUrl: undefined,
      mailFrom: { name: 'Kedai', address: 'no-reply@localhost' },
      mailReplyTo: undefined,
      trustProxy: false,
      openRegistration: false,
      demo: 'on',
      metricsPort: undefined,
      metricsHost: '127.0.0.1',
      logRequests: 0,
      slowRequestMs: 5_000,
      slowQueryMs: 1_000,
      tracing: undefined,
      rateLimits: true,
    });
  });

  test('an empty value counts as unset', () => {
    expect(read({ PORT: '', STORE_NAME: '  ' })).toMatchObject({ port: 3000, storeName: 'Kedai' });
  });

  test('the demo is off by default if DATABASE_URL is set', () => {
    expect(read({ DATABASE_URL: 'postgres://db/shop' }).demo).toBe('off');
    expect(read({ DATABASE_URL: 'postgres://db/shop', DEMO: 'on' }).demo).toBe('on');
  });

  test('generated keys are kept between starts', () => {
    expect(read({}).masterKeys).toEqual(read({}).masterKeys);
    expect(read({}).masterKeys[0].key).not.toEqual(read({}).jwtKeys[0].key);
  });
});

describe('in production', () => {
  test('a complete configuration is accepted', () => {
    expect(read(production)).toMatchObject({
      production: true,
      host: '0.0.0.0',
      publicUrl: 'https://shop.example',
      masterKeys: [{ id: 'm1' }],
      stripe: { secretKey: 'sk_live_abc', liveMode: true },
      demo: 'off',
      mailFrom: { address: 'no-reply@shop.example' },
    });
  });

  test.each(['DATABASE_URL', 'PUBLIC_URL', 'MASTER_KEYS', 'JWT_KEYS', 'STRIPE_SECRET_KEY'] as const)(
    '%s is required',
    (name) => expect(problemWith(without(name))).toContain(`${name} is `),
  );

  test('test payments require TEST_MODE_PAYMENTS=allow', () => {
    const { STRIPE_SECRET_KEY: _, STRIPE_PUBLISHABLE_KEY: __, STRIPE_WEBHOOK_SECRET: ___, ...noStripe } = production;
    expect(problemWith(noStripe)).toContain('TEST_MODE_PAYMENTS=allow');
    expect(read({ ...noStripe, TEST_MODE_PAYMENTS: 'allow' }).stripe).toBeUndefined();
    const testKeys = { STRIPE_SECRET_KEY: 'sk_test_abc', STRIPE_PUBLISHABLE_KEY: 'pk_test_abc' };
    expect(problemWith({ ...production, ...testKeys })).toMatch(/^STRIPE_SECRET_KEY .*TEST_MODE_PAYMENTS=allow/);
    expect(read({ ...production, ...testKeys, TEST_MODE_PAYMENTS: 'allow' }).stripe?.liveMode).toBe(false);
  });

  test('the demo, whose passwords are public, is refused', () => {
    expect(problemWith({ ...production, DEMO: 'on' })).toContain('DEMO cannot be on in production');
    expect(problemWith({ ...production, DEMO: 'public' })).toContain('DEMO cannot be public in production');
  });

  test('RATE_LIMITS=off is refused', () => {
    expect(problemWith({ ...production, RATE_LIMITS: 'off' })).toContain('RATE_LIMITS cannot be off in production');
    expect(read({ ...production, RATE_LIMITS: 'on' }).rateLimits).toBe(true);
  });

  test('PUBLIC_URL must be https except on localhost', () => {
    expect(problemWith({ ...production, PUBLIC_URL: 'http://shop.example' })).toContain('https://');
    expect(read({ ...production, PUBLIC_URL: 'http://localhost:8080' }).publicUrl).toBe('http://localhost:8080');
  });
});

describe('the demo, whose passwords are public,', () => {
  const live = {
    STRIPE_SECRET_KEY: 'sk_live_abc',
    STRIPE_PUBLISHABLE_KEY: 'pk_live_abc',
    STRIPE_WEBHOOK_SECRET: 'whsec_abc',
  };

  test.each([
    ['the default', {}],
    ['DEMO=on', { DEMO: 'on', DATABASE_URL: 'postgres://db/shop' }],
    ['DEMO=public', { DEMO: 'public' }],
    ['a restricted key', { STRIPE_SECRET_KEY: 'rk_live_abc' }],
    ['NODE_ENV=test', { NODE_ENV: 'test' }],
    ['NODE_ENV=development', { NODE_ENV: 'development' }],
  ])('refuses a live key of Stripe: %s', (_name, settings) => {
    expect(problemWith({ ...live, ...settings })).toMatch(/^STRIPE_SECRET_KEY is a live key, .*DEMO=off/);
    expect(read({ ...live, ...settings, DEMO: 'off' }).stripe?.liveMode).toBe(true);
  });

  test.each([
    ['HOST', { HOST: '0.0.0.0' }],
    ['HOST', { HOST: '::' }],
    ['HOST', { HOST: '192.168.0.7', PUBLIC_URL: 'http://localhost:3000' }],
    ['HOST', { HOST: '127.0.0.1.example' }],
    ['PUBLIC_URL', { PUBLIC_URL: 'https://demo.example' }],
    ['PUBLIC_URL', { PUBLIC_URL: 'http://localhost.example', HOST: '127.0.0.1' }],
  ])('rejects a %s outside this machine: %j', (name, settings) => {
    expect(problemWith(settings)).toMatch(new RegExp(`^${name} is not .*DEMO=public, or DEMO=off`));
    expect(read({ ...settings, DEMO: 'public' }).demo).toBe('public');
    expect(read({ ...settings, DEMO: 'off' }).demo).toBe('off');
  });

  test.each([
    { HOST: 'localhost', PUBLIC_URL: 'http://shop.localhost:3000' },
    { HOST: '::1', PUBLIC_URL: 'http://[::1]:3000' },
    { HOST: '127.0.0.2', PUBLIC_URL: 'http://127.0.0.2:3000' },
  ])('runs at %j', (settings) => expect(read(settings).demo).toBe('on'));
});

describe('a wrong value stops the start with one line that names the variable', () => {
  test.each([
    ['NODE_ENV', 'prod'],
    ['PORT', '3000a'],
    ['PORT', '65536'],
    ['HOST', 'not a host'],
    ['DATABASE_URL', 'mysql://db/shop'],
    ['DATABASE_URL', 'postgres://shop:pass/word@db:5432/shop'],
    ['DATABASE_READ_URL', 'mysql://replica/shop'],
    ['DATABASE_READ_URL', 'postgres://shop:pass#word@replica/shop'],
    ['STORE_NAME', 'two\nlines'],
    ['STORE_NAME', 'two\u2028lines'],
    ['CONTACT_ADDRESS', 'two\nlines'],
    ['CONTACT_PHONE', 'call us'],
    ['CONTACT_EMAIL', 'hello'],
    ['PUBLIC_URL', 'shop.example'],
    ['PUBLIC_URL', 'https://shop.example/path'],
    ['PUBLIC_URL', 'https://:secret@shop.example'],
    ['STRIPE_SECRET_KEY', 'pk_live_swapped'],
    ['STRIPE_PUBLISHABLE_KEY', 'sk_live_swapped'],
    ['STRIPE_WEBHOOK_SECRET', 'secret'],
    ['TEST_MODE_PAYMENTS', 'yes'],
    ['MASTER_KEYS', Buffer.alloc(32).toString('base64')],
    ['MASTER_KEYS', `m1:${Buffer.alloc(16).toString('base64')}`],
    ['MASTER_KEYS', `${key('m1', 1)},${key('m1', 2)}`],
    ['MASTER_KEYS', `${key('m1', 1)},`],
    ['JWT_KEYS', 'j1:short'],
    ['SMTP_URL', 'http://mail'],
    ['SMTP_URL', 'smtp://@/'],
    ['SMTP_URL', 'smtp://shop:secret@/'],
    ['SMTP_URL', 'smtps:///mail'],
    ['SMTP_URL', 'smtps://shop:pass/word@mail:465'],
    ['SMTP_URL', 'smtps://shop:pass?word@mail:465'],
    ['MAIL_FROM', 'Kedai'],
    ['MAIL_FROM', 'Kedai <a@b.example>, x <c@d.example>'],
    ['TRUST_PROXY', 'true'],
    ['TRUST_PROXY', '10.0.0.0/33'],
    ['OPEN_REGISTRATION', 'maybe'],
    ['DEMO', '2'],
    ['METRICS_PORT', '-1'],
    ['METRICS_HOST', 'a b'],
    ['LOG_REQUESTS', '1.5'],
    ['LOG_REQUESTS', 'all'],
    ['SLOW_QUERY_MS', '-1'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4318'],
    ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc'],
    ['OTEL_TRACES_SAMPLER', 'jaeger_remote'],
    ['OTEL_TRACES_SAMPLER_ARG', '2'],
    ['RATE_LIMITS', 'none'],
    ['REPORT_ANSWER_DAYS', '0'],
    ['REPORT_ANSWER_DAYS', '31'],
  ])('%s=%j', (name, value) => {
    const problem = problemWith({ [name]: value });
    expect(problem).toMatch(new RegExp(`^${name} must be `));
    expect(problem).not.toContain('\n');
  });

  test.each([
    ...['DATABASE_URL', 'DATABASE_READ_URL', 'MASTER_KEYS', 'JWT_KEYS', 'STRIPE_SECRET_KEY', 'SMTP_URL'].map((name) => [
      name,
      'canary-7164',
    ]),
    ['DATABASE_URL', 'postgres://shop:canary/7164@db/shop'],
    ['SMTP_URL', 'smtps://shop:canary/7164@mail:465'],
  ])('%s: the line does not repeat a possible secret, as in %j', (name, value) =>
    expect(problemWith({ [String(name)]: value })).not.toContain('canary'),
  );

  test.each(['postgres://shop@/shop?host=/run/postgresql', 'postgres://shop:pass%2Fword@db/shop', 'postgres:///shop'])(
    'DATABASE_URL=%j is accepted',
    (url) => expect(read({ DATABASE_URL: url }).databaseUrl).toBe(url),
  );

  test('two of three Stripe settings are refused', () => {
    const { STRIPE_WEBHOOK_SECRET: _, ...two } = production;
    expect(problemWith(two)).toBe('STRIPE_WEBHOOK_SECRET is missing: set all three of Stripe or none of them');
  });

  test('a live and a test key of Stripe together are refused', () => {
    expect(problemWith({ ...production, STRIPE_PUBLISHABLE_KEY: 'pk_test_abc' })).toContain('STRIPE_PUBLISHABLE_KEY');
  });
});

test.each([
  ['2', 2],
  ['off', false],
  ['0', false],
  ['10.0.0.0/8, ::1', ['10.0.0.0/8', '::1']],
])('TRUST_PROXY=%s is %j', (value, expected) => expect(read({ TRUST_PROXY: value }).trustProxy).toEqual(expected));

test.each([
  ['Kedai <orders@shop.example>', { name: 'Kedai', address: 'orders@shop.example' }],
  ['"Kedai, KL" <orders@shop.example>', { name: 'Kedai, KL', address: 'orders@shop.example' }],
  ['orders@shop.example', { name: '', address: 'orders@shop.example' }],
])('MAIL_FROM=%s is parsed into name and address', (value, expected) =>
  expect(read({ MAIL_FROM: value }).mailFrom).toEqual(expected),
);

test('the first of several keys is current', () => {
  const config = read({ MASTER_KEYS: `${key('new', 1)}, ${key('old', 2)}` });
  expect(config.masterKeys.map(({ id }) => id)).toEqual(['new', 'old']);
});

describe('a secret in a file', () => {
  const written = (name: string, text: string) => {
    const path = join(dataDir, name);
    writeFileSync(path, text);
    return path;
  };

  test.each([
    ['DATABASE_URL', 'postgres://shop:secret@db:5432/shop', 'databaseUrl'],
    ['SMTP_URL', 'smtps://shop:secret@mail:465', 'smtpUrl'],
  ] as const)('%s is read without its trailing newline', (name, value, field) => {
    for (const end of ['', '\n', '\r\n'])
      expect(read({ [`${name}_FILE`]: written(name, `${value}${end}`) })[field]).toBe(value);
  });

  test('counts as set, also in production', () => {
    const secrets = ['DATABASE_URL', 'MASTER_KEYS', 'JWT_KEYS', 'STRIPE_SECRET_KEY', 'STRIPE_WEBHOOK_SECRET'] as const;
    const files = secrets.map((name) => [`${name}_FILE`, written(name, `${production[name]}\n`)]);
    const { NODE_ENV, PUBLIC_URL, STRIPE_PUBLISHABLE_KEY } = production;
    const config = read({ NODE_ENV, PUBLIC_URL, STRIPE_PUBLISHABLE_KEY, ...Object.fromEntries(files) });
    expect(config).toEqual(read(production));
  });

  test.each([
    [
      'beside the variable',
      { JWT_KEYS: key('j1', 1), JWT_KEYS_FILE: '/a' },
      'JWT_KEYS is set twice: remove it, or JWT_KEYS_FILE',
    ],
    ['that is missing', { JWT_KEYS_FILE: '/canary-7164' }, 'JWT_KEYS_FILE names a file that cannot be read (ENOENT)'],
    ['that is a folder', { JWT_KEYS_FILE: dataDir }, 'JWT_KEYS_FILE names a file that cannot be read (EISDIR)'],
    ['that is empty', { JWT_KEYS_FILE: written('empty', '\n') }, 'JWT_KEYS_FILE names an empty file'],
    ['with a wrong value', { JWT_KEYS_FILE: written('wrong', 'canary-7164') }, 'JWT_KEYS must be id:key'],
  ])('is refused in one line: a file %s', (_which, env, problem) => {
    expect(problemWith(env)).toContain(problem);
    expect(problemWith(env)).not.toMatch(/canary|\n/);
  });

  test('is supported only for secrets', () =>
    expect(read({ STORE_NAME_FILE: written('name', 'Other') }).storeName).toBe('Kedai'));
});

describe('the setting SHIPPING_ZONES', () => {
  const zone = { name: 'Home', countries: ['MY'], by: 'weight', rates: [{ price: 5 }] };
  const zones = (...changes: object[]) => ({
    SHIPPING_ZONES: JSON.stringify(changes.map((one) => ({ ...zone, ...one }))),
  });

  test('has a default and is parsed from JSON', () => {
    expect(read({}).shippingZones).toEqual(defaultShippingZones);
    expect(read(zones({})).shippingZones).toEqual([zone]);
    expect(read(zones()).shippingZones).toEqual([]);
  });

  test.each([
    ['no JSON', { SHIPPING_ZONES: 'MY=5' }, 'must be JSON'],
    ['no list', { SHIPPING_ZONES: '{}' }, 'is wrong at its top'],
    ['a country that is none', zones({ countries: ['ZZ'] }), 'names ZZ'],
    ['a country by name', zones({ countries: ['Malaysia'] }), 'is wrong at 0.countries.0'],
    ['a country in two zones', zones({}, {}), 'must name each country once'],
    ['a price below zero', zones({ rates: [{ price: -1 }] }), 'is wrong at 0.rates.0.price'],
    ['a price below a cent', zones({ rates: [{ price: 0.004 }] }), 'is wrong at 0.rates.0.price'],
    ['no rate', zones({ rates: [] }), 'is wrong at 0.rates'],
    [
      'rates that do not ascend',
      zones({
        rates: [
          { upTo: 2, price: 1 },
          { upTo: 2, price: 2 },
        ],
      }),
      'must ascend',
    ],
    ['an open rate before the last', zones({ rates: [{ price: 1 }, { upTo: 2, price: 2 }] }), 'must ascend'],
    ['a third way to measure', zones({ by: 'volume' }), 'is wrong at 0.by'],
  ])('refuses %s', (_what, env, problem) => {
    expect(problemWith(env)).toContain('SHIPPING_ZONES ');
    expect(problemWith(env)).toContain(problem);
  });
});
