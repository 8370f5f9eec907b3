import { isIP } from 'node:net';
import { resolve } from 'node:path';
import * as z from 'zod/mini';
import { type ShippingZone, shippingZones } from '../shared/shipping.ts';
import { tryParseJson } from '../shared/try-parse-json.ts';
import { countryNames } from './platform/countries.ts';
import { parseNamedKeys } from './platform/crypto/named-keys.ts';

/** An optional setting. `parse` returns undefined for a wrong value; `rule` is the error message. */
const setting = <T>(parse: (value: string) => T | undefined, rule: string) =>
  z.optional(
    z.pipe(
      z.string(),
      z.transform((value, context) => {
        const parsed = parse(value);
        if (parsed !== undefined) return parsed;
        context.issues.push({ code: 'custom', message: rule, input: value });
        return z.NEVER;
      }),
    ),
  );

const parseInteger = (value: string): number | undefined => (/^\d{1,9}$/.test(value) ? Number(value) : undefined);

const integer = (what: string, from: number, to: number) =>
  setting((value) => {
    const number = parseInteger(value);
    return number !== undefined && number >= from && number <= to ? number : undefined;
  }, `must be a ${what} from ${from} to ${to}`);

const matching = (pattern: RegExp, rule: string) => setting((value) => (pattern.test(value) ? value : undefined), rule);

const line = (most: number) =>
  matching(
    new RegExp(`^[^\\p{C}\\p{Zl}\\p{Zp}]{1,${most}}$`, 'u'),
    `must be one line of at most ${most} characters, none of them invisible`,
  );

/** Whether the shop has the demo's products and accounts: `on` for this machine only, `public` also for strangers. */
export type DemoMode = 'off' | 'on' | 'public';

const port = integer('port number', 0, 65_535);

const oneOf = <T>(values: Record<string, T>, rule: string) =>
  setting((value) => (Object.hasOwn(values, value) ? values[value] : undefined), rule);

const flag = oneOf({ on: true, true: true, off: false, false: false }, 'must be on or off');
const demoModes: Record<string, DemoMode> = { on: 'on', true: 'on', public: 'public', off: 'off', false: 'off' };

const namedKeys = setting(
  parseNamedKeys,
  'must be id:key[,id:key...], each key 32 random bytes in base64 (make one with: openssl rand -base64 32)',
);

/** A URL like the example. `parsed` is what the parser of URLs gets. */
const url = (pattern: RegExp, example: string, parsed = (value: string) => value) =>
  setting(
    (value) => (pattern.test(value) && URL.canParse(parsed(value)) ? value : undefined),
    `must be as in ${example}`,
  );

const ENCODED = 'special characters of user and password percent-encoded';
// The host may be missing, as in postgres://user@/name?host=/run/postgresql.
const databaseUrl = url(/^postgres(ql)?:\/\/\S+$/, `postgres://user:password@host:5432/name, ${ENCODED}`, (value) =>
  value.replace('@/', '@host/'),
);

const listenAddress = matching(/^[\w.:-]+$/, 'must be an address to listen on, as in 127.0.0.1 or 0.0.0.0');

const share = setting((value) => {
  const number = /^[01](\.\d{1,6})?$/.test(value) ? Number(value) : undefined;
  return number !== undefined && number <= 1 ? number : undefined;
}, 'must be a share from 0 to 1, as in 0.1');

const milliseconds = integer('number of milliseconds', 0, 600_000);

const endpoint = url(/^https?:\/\/\S+$/, 'http://127.0.0.1:4318');

/** Every variable of the shop and its rule (docs/operations.md). */
export const environment = z.object({
  NODE_ENV: matching(/^(production|development|test)$/, 'must be production, development or test'),
  PORT: port,
  HOST: listenAddress,
  DATA_DIR: setting((value) => resolve(value), 'must be a folder'),
  DATABASE_URL: databaseUrl,
  DATABASE_READ_URL: databaseUrl,
  DATABASE_PREPARED: flag,
  STORE_NAME: line(60),
  CONTACT_ADDRESS: line(200),
  CONTACT_PHONE: matching(/^\+?[\d ()-]{3,30}$/, 'must be a phone number, as in +60 3-5550 0100'),
  CONTACT_EMAIL: setting(
    (value) => (z.email().safeParse(value).success ? value : undefined),
    'must be an email address, as in hello@shop.example',
  ),
  SELLER_NAME: line(100),
  SELLER_ADDRESS: line(200),
  SELLER_TAX_ID: line(60),
  PUBLIC_URL: setting(parseOrigin, 'must be as in https://shop.example: http or https, without a path'),
  STRIPE_SECRET_KEY: matching(/^[sr]k_(test|live)_\w+$/, 'must be a secret key of Stripe, sk_live_... or sk_test_...'),
  STRIPE_PUBLISHABLE_KEY: matching(
    /^pk_(test|live)_\w+$/,
    'must be a publishable key of Stripe, pk_live_... or pk_test_...',
  ),
  STRIPE_WEBHOOK_SECRET: matching(/^whsec_\S+$/, "must be the signing secret of Stripe's webhook endpoint, whsec_..."),
  TEST_MODE_PAYMENTS: matching(/^allow$/, 'must be "allow" or absent'),
  MASTER_KEYS: namedKeys,
  JWT_KEYS: namedKeys,
  SMTP_URL: url(/^smtps?:\/\/[^\s/?#]\S*$/, `smtps://user:password@host:465, ${ENCODED}`),
  MAIL_FROM: setting(parseMailbox, 'must be as in Kedai <orders@shop.example>'),
  TRUST_PROXY: setting(parseProxies, 'must be the number of proxies in front, or their addresses (10.0.0.0/8,::1)'),
  OPEN_REGISTRATION: flag,
  DEMO: oneOf(demoModes, 'must be on, off or public'),
  METRICS_PORT: port,
  METRICS_HOST: listenAddress,
  LOG_REQUESTS: share,
  SLOW_REQUEST_MS: milliseconds,
  SLOW_QUERY_MS: milliseconds,
  OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: endpoint,
  OTEL_EXPORTER_OTLP_PROTOCOL: matching(
    /^http\/(json|protobuf)$/,
    'must be http/json: spans are sent by HTTP, not gRPC',
  ),
  OTEL_SERVICE_NAME: line(100),
  OTEL_TRACES_SAMPLER: matching(
    /^(parentbased_)?(always_on|always_off|traceidratio)$/,
    'must be always_on, always_off or traceidratio, or one of these after parentbased_',
  ),
  OTEL_TRACES_SAMPLER_ARG: share,
  OTEL_SDK_DISABLED: flag,
  DRAIN_SECONDS: integer('number of seconds', 0, 300),
  RATE_LIMITS: flag,
  REPORT_ANSWER_DAYS: integer('number of days', 1, 30),
  SHIPPING_ZONES: z.optional(z.pipe(z.string(), z.transform(parseZones))),
});
export type Environment = z.infer<typeof environment>;

/** The settings that can be read from a file, named by the same variable with `_FILE`. */
export const secretSettings = [
  'DATABASE_URL',
  'DATABASE_READ_URL',
  'STRIPE_SECRET_KEY',
  'STRIPE_WEBHOOK_SECRET',
  'MASTER_KEYS',
  'JWT_KEYS',
  'SMTP_URL',
] as const satisfies (keyof Environment)[];

/** Returns the zones, or adds an issue that says what is wrong and where. */
function parseZones(value: string, context: { issues: z.core.$ZodRawIssue[] }): ShippingZone[] {
  const refuse = (message: string) => {
    context.issues.push({ code: 'custom', message, input: value });
    return z.NEVER;
  };
  const json = tryParseJson(value);
  if (json === undefined) return refuse('must be JSON, as docs/operations.md shows');
  const { data, error } = shippingZones.safeParse(json);
  if (!data) return refuse(`is wrong at ${error.issues[0]?.path.join('.') || 'its top'}: ${error.issues[0]?.message}`);
  const unknown = data.flatMap(({ countries }) => countries).find((code) => code !== '*' && !countryNames.has(code));
  return unknown === undefined ? data : refuse(`names ${unknown}, which is no country of ISO 3166-1`);
}

function parseOrigin(value: string): string | undefined {
  if (!URL.canParse(value)) return undefined;
  const { protocol, origin, pathname, search, hash, username, password } = new URL(value);
  const bare = pathname === '/' && `${search}${hash}${username}${password}` === '';
  return bare && (protocol === 'http:' || protocol === 'https:') ? origin : undefined;
}

function parseMailbox(value: string): { name: string; address: string } | undefined {
  const [, name = '', bracketed, plain] = /^(?:"?([^<>"\p{C}]*?)"?\s*<([^<>\s]+)>|([^<>\s]+))$/u.exec(value) ?? [];
  const address = bracketed ?? plain;
  return address !== undefined && z.email().safeParse(address).success ? { name, address } : undefined;
}

function parseProxies(value: string): number | string[] | undefined {
  const hops = /^(off|false)$/.test(value) ? 0 : parseInteger(value);
  if (hops !== undefined) return hops;
  const addresses = value.split(',').map((part) => part.trim());
  return addresses.every(isAddressOrRange) ? addresses : undefined;
}

function isAddressOrRange(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/');
  const version = isIP(address);
  if (version === 0 || rest.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128));
}
