import { startEmbeddedServer } from '../../src/server/platform/database/embedded/embedded-server.ts';

// A Kedai reduced to its own database: starts it on the given folder, reports to the parent, and stops it on SIGTERM.

const [dataDir = ''] = process.argv.slice(2);

// Killing a process loses nothing that the operating system already has; only power cuts need fsync.
const starting = startEmbeddedServer({ dataDir, settings: { fsync: 'off' } });

const stop = () => void starting.then((server) => server.stop()).finally(() => process.exit(0));
process.once('SIGTERM', stop);
// The test run was interrupted. This listener also keeps the process alive.
process.once('disconnect', stop);

try {
  const { connectionString, pid, firstStart } = await starting;
  process.send?.({ connectionString, pid: pid(), firstStart });
} catch (error) {
  process.send?.({ refusal: String(error) }, () => process.exit(1));
}
