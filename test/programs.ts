type EnsureProgram = (name: string, inPackage?: string) => Promise<string>;

// The scripts are plain JavaScript, because they run before anything is installed.
const script = new URL('../scripts/lib/programs.mjs', import.meta.url).href;
const { ensureProgram } = (await import(script)) as { ensureProgram: EnsureProgram };

/** Debian's, by the name of the program. */
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

/** The path of a server or tool that is no npm package. Installed when missing, by root on Debian; else the test fails. */
export function findProgram(name: keyof typeof packages): Promise<string> {
  return ensureProgram(name, packages[name]);
}
