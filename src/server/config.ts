import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { defaultShippingZones } from '../shared/shipping.ts';
import { type DemoMode, type Environment, environment, secretSettings } from './config-variables.ts';
import { generatedSecrets, type NamedKeys } from './platform/crypto/named-keys.ts';
import { ConfigError, errorCodeOf } from './platform/system-errors.ts';
import type { TracingSettings } from './platform/tracing/tracing.ts';

export type Config = ReturnType<typeof readConfig>;

interface StripeConfig {
  secretKey: string;
  publishableKey: string;
  webhookSecret: string;
  /** True for real money; read from the prefix of the secret key. */
  liveMode: boolean;
}

/** Reads the settings from the environment. Throws a one-line ConfigError. `freePort` takes the place of PORT 0. */
export function readConfig(env: Record<string, string | undefined> = process.env, freePort?: number) {
  const given = parseEnvironment(readSecretFiles(env, secretSettings));
  const production = given.NODE_ENV === 'production';
  if (production) requireForProduction(given);
  const port = freePort ?? given.PORT ?? 3000;
  const dataDir = given.DATA_DIR ?? resolve('data');
  const storeName = given.STORE_NAME ?? 'Kedai';
  const publicUrl = given.PUBLIC_URL ?? `http://localhost:${port}`;
  const contact = {
    address: given.CONTACT_ADDRESS ?? '12 Jalan Contoh, 50000 Kuala Lumpur',
    phone: given.CONTACT_PHONE ?? '+60 3-5550 0100',
    email: given.CONTACT_EMAIL ?? 'hello@kedai.test',
  };
  const config = {
    production,
    port,
    host: given.HOST ?? (production ? '0.0.0.0' : '127.0.0.1'),
    dataDir,
    /** Undefined: the shop starts a PostgreSQL of its own in the data folder. */
    databaseUrl: given.DATABASE_URL,
    databaseReadUrl: given.DATABASE_READ_URL,
    /** Off for poolers that do not support prepared statements. */
    preparedStatements: given.DATABASE_PREPARED ?? true,
    storeName,
    contact,
    /** The seller as receipts name it. */
    seller: {
      name: given.SELLER_NAME ?? storeName,
      address: given.SELLER_ADDRESS ?? contact.address,
      taxId: given.SELLER_TAX_ID ?? '',
    },
    /** The shop's origin for shoppers, as in `https://shop.example`, without a slash at the end. */
    publicUrl,
    secureCookies: publicUrl.startsWith('https:'),
    /** Undefined: the built-in test-mode provider takes the cards. */
    stripe: stripeConfig(given),
    ...keys(given, dataDir),
    /** Undefined: mail is written as files in the data folder. */
    smtpUrl: given.SMTP_URL,
    mailFrom: given.MAIL_FROM ?? { name: storeName, address: `no-reply@${new URL(publicUrl).hostname}` },
    mailReplyTo: given.CONTACT_EMAIL,
    trustProxy: given.TRUST_PROXY || (false as const),
    openRegistration: given.OPEN_REGISTRATION ?? false,
    demo: given.DEMO ?? (!production && given.DATABASE_URL === undefined ? 'on' : 'off'),
    /** Undefined: no metrics are kept. */
    metricsPort: given.METRICS_PORT,
    metricsHost: given.METRICS_HOST ?? '127.0.0.1',
    /** The share of requests that are logged, from 0 to 1. Failed and slow requests are always logged. */
    logRequests: given.LOG_REQUESTS ?? 0,
    /** A request that takes at least this many milliseconds is slow; 0 turns this off. */
    slowRequestMs: given.SLOW_REQUEST_MS ?? 5_000,
    /** A statement that takes at least this many milliseconds is logged as slow; 0 turns this off. */
    slowQueryMs: given.SLOW_QUERY_MS ?? 1_000,
    /** Undefined: no spans are made. */
    tracing: tracingSettings(given),
    /** How long the process keeps serving after SIGTERM, while `/readyz` answers 503. */
    drainSeconds: given.DRAIN_SECONDS ?? (production ? 10 : 0),
    rateLimits: given.RATE_LIMITS ?? true,
    reportAnswerDays: given.REPORT_ANSWER_DAYS ?? 2,
    shippingZones: given.SHIPPING_ZONES ?? defaultShippingZones,
  };
  if (config.demo !== 'off') assertSafeForDemo(config);
  return config;
}

/** Throws when a shop with the demo's public passwords would take real money or be reachable by strangers. */
export function assertSafeForDemo(
  config: Pick<Config, 'host' | 'publicUrl'> & { stripe: StripeConfig | undefined; demo: DemoMode },
): void {
  const { stripe, demo, host, publicUrl } = config;
  if (stripe?.liveMode) {
    throw new ConfigError(
      'STRIPE_SECRET_KEY',
      'is a live key, and the demo has public passwords: use a test key, or DEMO=off with another database',
    );
  }
  if (demo === 'public') return;
  const fix = 'the demo has public passwords: set DEMO=public, or DEMO=off with another database';
  if (!isLoopback(host)) throw new ConfigError('HOST', `is not this machine alone, and ${fix}`);
  if (!isLoopback(new URL(publicUrl).hostname))
    throw new ConfigError('PUBLIC_URL', `is not on this machine, and ${fix}`);
}

const isLoopback = (host: string): boolean => /^(?:127(?:\.\d{1,3}){3}|\[?::1\]?|(?:[\w-]+\.)*localhost)$/i.test(host);

function parseEnvironment(env: Record<string, string | undefined>): Environment {
  // Compose files and shells pass unset variables as empty texts.
  const set = Object.entries(env).filter(([, value]) => value !== undefined && value.trim() !== '');
  const result = environment.safeParse(Object.fromEntries(set.map(([name, value]) => [name, value?.trim()])));
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw new ConfigError(String(issue?.path[0]), issue?.message ?? 'is wrong');
}

function requireForProduction(given: Environment): void {
  const fixes = {
    DATABASE_URL: 'set it to the PostgreSQL of this shop, as in postgres://user:password@host:5432/name',
    PUBLIC_URL: 'set it to where shoppers reach the shop, as in https://shop.example',
    MASTER_KEYS: 'set it to name:key, the key made with: openssl rand -base64 32',
    JWT_KEYS: 'set it to name:key, the key made with: openssl rand -base64 32',
  } as const;
  for (const [name, fix] of Object.entries(fixes)) {
    if (given[name as keyof typeof fixes] === undefined)
      throw new ConfigError(name, `is required in production: ${fix}`);
  }
  if (given.DEMO && given.DEMO !== 'off')
    throw new ConfigError('DEMO', `cannot be ${given.DEMO} in production, its passwords are public: remove it`);
  if (given.RATE_LIMITS === false)
    throw new ConfigError('RATE_LIMITS', 'cannot be off in production, it lifts every limit: remove it');
  const { protocol, hostname } = new URL(given.PUBLIC_URL ?? '');
  if (protocol === 'http:' && !isLoopback(hostname)) {
    throw new ConfigError('PUBLIC_URL', 'must begin with https:// in production');
  }
  if (!isLiveKey(given.STRIPE_SECRET_KEY) && given.TEST_MODE_PAYMENTS === undefined) {
    const problem = given.STRIPE_SECRET_KEY ? 'is a test key' : 'is required in production';
    throw new ConfigError(
      'STRIPE_SECRET_KEY',
      `${problem}: set the live one, or TEST_MODE_PAYMENTS=allow for a shop that takes only test cards`,
    );
  }
}

/** Reads the standard variables of OpenTelemetry. The exporter reads those for headers, certificates and timeouts. */
function tracingSettings(given: Environment): TracingSettings | undefined {
  const base = given.OTEL_EXPORTER_OTLP_ENDPOINT?.replace(/\/$/, '');
  const url = given.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ?? (base && `${base}/v1/traces`);
  if (url === undefined || given.OTEL_SDK_DISABLED) return undefined;
  const sampler = given.OTEL_TRACES_SAMPLER ?? 'parentbased_always_on';
  return {
    url,
    serviceName: given.OTEL_SERVICE_NAME ?? 'kedai',
    share: sampler.endsWith('always_on')
      ? 1
      : sampler.endsWith('always_off')
        ? 0
        : (given.OTEL_TRACES_SAMPLER_ARG ?? 1),
    followsParent: sampler.startsWith('parentbased_'),
  };
}

const isLiveKey = (key: string | undefined): boolean => key?.includes('_live_') ?? false;

const stripeVariables = ['STRIPE_SECRET_KEY', 'STRIPE_PUBLISHABLE_KEY', 'STRIPE_WEBHOOK_SECRET'] as const;

function stripeConfig(given: Environment): StripeConfig | undefined {
  const [secretKey, publishableKey, webhookSecret] = stripeVariables.map((name) => given[name]);
  if (!secretKey || !publishableKey || !webhookSecret) {
    const missing = stripeVariables.filter((name) => given[name] === undefined);
    if (missing.length === stripeVariables.length) return undefined;
    throw new ConfigError(String(missing[0]), 'is missing: set all three of Stripe or none of them');
  }
  const liveMode = isLiveKey(secretKey);
  if (isLiveKey(publishableKey) !== liveMode) {
    throw new ConfigError('STRIPE_PUBLISHABLE_KEY', 'must be of the same mode, live or test, as STRIPE_SECRET_KEY');
  }
  return { secretKey, publishableKey, webhookSecret, liveMode };
}

/** `masterKeys` encrypt the data keys of the item cipher; `jwtKeys` sign session tokens. */
function keys(given: Environment, dataDir: string): { masterKeys: NamedKeys; jwtKeys: NamedKeys } {
  if (given.MASTER_KEYS && given.JWT_KEYS) return { masterKeys: given.MASTER_KEYS, jwtKeys: given.JWT_KEYS };
  const { masterKeys, jwtKeys } = generatedSecrets(dataDir);
  return { masterKeys: given.MASTER_KEYS ?? masterKeys, jwtKeys: given.JWT_KEYS ?? jwtKeys };
}

type Variables = Record<string, string | undefined>;

/**
 * Reads each of the settings from the file named by its variable with `_FILE`, because container platforms mount
 * secrets as files. Returns the variables with these settings. Throws a one-line ConfigError for a setting that is
 * given in both ways, and for a file that is empty or cannot be read.
 */
function readSecretFiles(env: Variables, names: readonly string[]): Variables {
  const read: Variables = {};
  for (const name of names) {
    const fileVariable = `${name}_FILE`;
    const path = env[fileVariable]?.trim();
    if (!path) continue;
    if (env[name]?.trim()) throw new ConfigError(name, `is set twice: remove it, or ${fileVariable}`);
    read[name] = readSecret(fileVariable, path);
  }
  return { ...env, ...read };
}

// The messages omit the path, because it may be the secret itself, set in the wrong variable.
function readSecret(variable: string, path: string): string {
  let text: string;
  try {
    text = readFileSync(path, 'utf8').trim();
  } catch (error) {
    const code = errorCodeOf(error) || 'unknown error';
    throw new ConfigError(variable, `names a file that cannot be read (${code}): correct the path or its permissions`);
  }
  if (text === '') throw new ConfigError(variable, 'names an empty file: write the secret into it');
  return text;
}
