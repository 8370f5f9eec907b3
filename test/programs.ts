type EnsureProgram = (name: string) => Promise<string>;

// The scripts are plain JavaScript, because they run before anything is installed.
const script = new URL('../scripts/lib/programs.mjs', import.meta.url).href;
const { ensureProgram } = (await import(script)) as { ensureProgram: EnsureProgram };

/** The path of a server or tool that is no npm package. Installed when missing, by root on Debian; else the test fails. */
export function findProgram(name: 'faketime' | 'haproxy' | 'nginx' | 'pgbouncer'): Promise<string> {
  return ensureProgram(name);
}
