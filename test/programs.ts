type EnsureProgram = (name: string, inPackage?: string) => Promise<string>;

// The script is plain JavaScript, because it runs before anything is installed.
const script = new URL('../scripts/lib/programs.mjs', import.meta.url).href;
const { ensureProgram } = (await import(script)) as { ensureProgram: EnsureProgram };

/** Debian packages, by the name of the program. */
const packages = {
  etcd: 'etcd-server',
  faketime: 'faketime',
  haproxy: 'haproxy',
  nginx: 'nginx',
  patroni: 'patroni',
  pg_createcluster: 'postgresql',
  pgbouncer: 'pgbouncer',
  promtool: 'prometheus',
};

/**
 * Returns the path of a program that is not an npm package. Root on Debian installs a missing one; otherwise throws.
 */
export function findProgram(name: keyof typeof packages): Promise<string> {
  return ensureProgram(name, packages[name]);
}
